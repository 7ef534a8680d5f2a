export interface Figure {
  readonly id: string
  readonly question: string
  /** What the figure is compared with. */
  readonly peer?: string
  readonly unit: string
  readonly goal: number
  readonly better: 'higher' | 'lower'
  /** The bench that measures it, with its arguments. */
  readonly bench: string
}

const ratio = (bench: string, id: string, question: string, peer: string, goal: number): Figure => ({
  ...{ id, question, peer, unit: 'ratio', goal, better: 'higher', bench },
})
const rate = (bench: string, id: string, question: string, unit: string, goal: number): Figure => ({
  ...{ id, question, unit, goal, better: 'higher', bench },
})
const cost = (bench: string, id: string, question: string, unit: string, goal: number): Figure => ({
  ...{ id, question, unit, goal, better: 'lower', bench },
})

const SQL = 'the same in one SQL function'
const INSERT = 'one INSERT for each event'

/** Figures of `npm run bench -- load`, which is not part of the table. */
export const LOAD_FIGURES: readonly Figure[] = [
  cost('load', 'load_cpu', 'CPU of a video, everything', 'ms', 90),
  cost('load', 'load_generate_p99', 'generate, p99', 'ms', 100),
  cost('load', 'load_row_p99', 'click to row, p99', 'ms', 150),
  cost('load', 'load_shown_p50', 'finished to browser, p50', 's', 0.5),
  cost('load', 'load_shown_p99', 'finished to browser, p99', 's', 2),
  cost('load', 'load_oldest', 'oldest task that has not started', 's', 1),
]

/** Figures of the table, in its order. */
export const FIGURES: readonly Figure[] = [
  ratio('appends', 'append_1', 'append, 1 writer', INSERT, 0.9),
  ratio('appends', 'append_8', 'append, 8 writers', INSERT, 1.5),
  ratio('appends', 'append_32', 'append, 32 writers', INSERT, 2),
  ratio('commands', 'generate_16', 'generate in process, 16 clients', SQL, 0.8),
  ratio('commands', 'generate_64', 'generate in process, 64 clients', SQL, 1.05),
  ratio('commands', 'hot_account_16', 'hold and capture on one account, 16 clients', SQL, 2.5),
  ratio('commands', 'hot_account_64', 'hold and capture on one account, 64 clients', SQL, 4),
  ratio('http', 'http_embedded', 'generate over HTTP, 64 connections, all roles', 'node:http and the same SQL', 0.3),
  ratio('http', 'http_api', 'generate over HTTP, 64 connections, API role', 'node:http and the same SQL', 0.5),
  cost('statementsPerVideo', 'statements_per_video', 'SQL statements of a video, one by one', 'statements', 40),
  cost(
    'statementsPerVideo',
    'cpu_per_video',
    'CPU of a video in Node and PostgreSQL without signing, 12 in flight',
    'ms',
    12,
  ),
  rate('reads', 'reads_works', 'GET /videos/tasks', 'per CPU second', 3_000),
  rate('reads', 'reads_history', 'GET /credits/history', 'per CPU second', 3_000),
  rate('reads', 'reads_stats', 'GET /subscriptions/stats', 'per CPU second', 3_000),
  cost('desk', 'desk_search', 'search of the desk among 100,000 users, p95', 'ms', 300),
  cost('desk', 'desk_person', "a person's page among 1,000,000 ledger events, p95", 'ms', 300),
  rate('catchUp', 'catch_up', 'all read models catching up', 'events/s', 60_000),
  cost('longAccount', 'first_command', 'first command on a stream of 100,000 events', 'ms', 20),
  cost('longAccount', 'release_blocks', 'event loop blocked by a release on it', 'ms', 2),
  cost('deliveries', 'delivery_p50', 'append to subscriber, p50', 'ms', 1),
  cost('deliveries', 'delivery_p99', 'append to subscriber, p99', 'ms', 3),
  ratio('analytics 100000', 'page_views', 'page views taken in', "Umami's recorded 185/s", 25),
  rate('audit 1500', 'audit_verify', 'audit verify', 'events/s', 100_000),
  ratio('tracing', 'traces_off', 'hold in memory, ten more spans, without a collector', 'the same without them', 0.95),
  cost('startUp', 'rest_memory', 'one process at rest', 'MB', 160),
  cost('startUp', 'warm_start', 'start with existing data', 's', 0.5),
]
