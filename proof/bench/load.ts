import { spawnSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { setTimeout as delay } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { DOUBLE_KEY, startMinimaxDouble } from '#backend/providers/video/minimax/testing/minimaxDouble.ts'
import { registerUser } from '#backend/testing/testUser.ts'
import { type BudgetRow, budgetTable, startBudget, totalOf } from './load/budget.ts'
import { startCreator, type Video } from './load/creator.ts'
import { injectFaults, killEachMinute } from './load/faults.ts'
import { makeFilm } from './load/film.ts'
import { grant } from './load/grant.ts'
import { type Layout, startLayout } from './load/layout.ts'
import { printTimes } from './load/report.ts'
import { startSamples } from './load/samples.ts'
import { openEventStore } from './ratios/compareClient.ts'
import { LOAD_FIGURES } from './table/figures.ts'
import { describeMachine, type Row, readLoad, toMarkdown } from './table/report.ts'

/**
 * Runs the whole product under load, in two processes of each role, with a double of MiniMax: `npm run bench -- load
 * [--rate <videos a second>] [--seconds <n>] [--render <seconds>] [--users <n>] [--film tiny|768P] [--watermark]
 * [--faults] [--kill-every <seconds>] [--seed <n>] [--events double] [--json <file>]`.
 * Clicks are due at a fixed rate, whether or not earlier ones were answered, and their times count from then.
 * The log is in PostgreSQL, or in the EventStoreDB of EVENTSTORE_URL; with `--events double`, in a double of it, whose CPU time does not count.
 * Prints what one video costs by process and purpose. `--watermark` also makes the copies that free plans show.
 * With `--faults`, 30 % of the provider's answers are errors, a process is killed each minute, and webhooks come twice.
 * Exits with 1 if a click was lost, a video did not end, or the ledger deviates.
 */
const { values } = parseArgs({
  options: {
    ...{ rate: { type: 'string', default: '17' }, seconds: { type: 'string', default: '600' } },
    ...{ render: { type: 'string', default: '60' }, users: { type: 'string', default: '20' } },
    ...{ faults: { type: 'boolean', default: false }, 'kill-every': { type: 'string', default: '60' } },
    ...{ seed: { type: 'string', default: '1' }, json: { type: 'string' } },
    ...{ film: { type: 'string', default: 'tiny' }, watermark: { type: 'boolean', default: false } },
    events: { type: 'string' },
  },
})
const [rate, seconds, render, users, seed] = [
  values.rate,
  values.seconds,
  values.render,
  values.users,
  values.seed,
].map(Number) as [number, number, number, number, number]
/** Time after the last click until every video must have ended, besides its render. */
const LATEST_MS = 300_000

const load = readLoad()
const film = await makeFilm(values.film)
const double = await startMinimaxDouble({ renderMs: render * 1_000 })
double.video = film.video
const { EVENTSTORE_URL: given = '' } = process.env
const events = values.events === 'double' || given ? await openEventStore() : undefined
const callbacks = injectFaults(double, { faults: values.faults, seed })
const layout = await startLayout({
  ...{ MINIMAX_API_KEY: DOUBLE_KEY, MINIMAX_BASE_URL: double.url, MINIMAX_CREATES_PER_MINUTE: '10000' },
  ...{ EVENTSTORE_URL: events?.url ?? '', EVENTSTORE_CA: events?.ca ?? '' },
  KINORA_BENCH_WATERMARK: values.watermark ? 'yes' : '',
})
try {
  process.exitCode = await measure(layout)
} finally {
  callbacks.stop()
  await layout.close()
  await double.close()
  await events?.close()
}

/** Returns the exit code. */
async function measure(layout: Layout): Promise<number> {
  const creators: ReturnType<typeof startCreator>[] = []
  for (let n = 0; n < users; n++) {
    const user = await registerUser(layout.url)
    await grant(layout, user.userId)
    creators.push(startCreator(user))
  }
  const samples = startSamples(layout)
  const budget = await startBudget(layout)
  const stopKilling = values.faults
    ? killEachMinute(layout, Number(values['kill-every']) * 1_000, seed)
    : async () => {}
  const begun = Date.now()
  const clicks: Promise<void>[] = []
  for (let n = 0; n < rate * seconds; n++) {
    const due = begun + (n * 1_000) / rate
    await delay(Math.max(0, due - Date.now()))
    clicks.push(creators[n % users]!.click(due, `video ${n}`))
  }
  await Promise.all(clicks)
  await stopKilling()
  const videos = () => new Map(creators.flatMap((creator) => [...creator.videos]))
  const open = () => [...videos().values()].some(({ ended }) => !ended)
  const latest = Date.now() + render * 1_000 + LATEST_MS
  while (Date.now() < latest && open()) {
    await delay(2_000)
    if (Date.now() > latest - LATEST_MS / 2) for (const creator of creators) await creator.refresh()
  }
  for (const creator of creators) creator.disconnect()
  const times = printTimes(videos(), double)
  const all: Video[] = [...videos().values()]
  const oldest = await samples.print()
  const messages = creators.reduce((sum, creator) => sum + creator.messages, 0)
  const parts = await budget.end(all.filter(({ ended }) => ended?.status === 'Success').length, messages)
  const setting = `${rate} videos a second, ${values.watermark ? 'with' : 'without'} watermark; log in ${events?.name ?? 'PostgreSQL'}; films: ${film.description}; ${layout.ffmpeg.version.trim()}`
  console.log(`\n${setting}\n\n${budgetTable(parts)}\n`)
  const rows = rowsOf({
    ...{ load_cpu: totalOf(parts), load_generate_p99: times.generate.p99, load_row_p99: times.row.p99 },
    ...{ load_shown_p50: times.shown.p50 / 1_000, load_shown_p99: times.shown.p99 / 1_000, load_oldest: oldest },
  })
  console.log(`${toMarkdown(rows)}\n`)
  if (values.json) writeJson(values.json, setting, rows, parts)
  const unended = all.filter(({ ended }) => !ended).length
  console.log(
    `${all.length} videos; ${all.filter(({ ended }) => ended?.status === 'Fail').length} failed, ${unended} did not end`,
  )
  return verifyLedger(layout) && unended === 0 && all.length === clicks.length ? 0 : 1
}

/** Returns the figures with their goals. */
function rowsOf(measured: Readonly<Record<string, number>>): Row[] {
  return LOAD_FIGURES.map((figure) => ({ ...figure, value: measured[figure.id]!, load }))
}

function writeJson(file: string, setting: string, rows: readonly Row[], budget: readonly BudgetRow[]): void {
  writeFileSync(file, `${JSON.stringify({ machine: describeMachine(), setting, rows, budget }, undefined, 2)}\n`)
}

/** Returns whether the ledger is proven. */
function verifyLedger({ env }: Layout): boolean {
  const { stdout, status } = spawnSync(process.execPath, ['backend/programs/audit.ts', 'verify', '--json'], {
    env: { ...process.env, ...env },
    maxBuffer: 1 << 28,
  })
  const { deviationCount, events } = JSON.parse(String(stdout)) as { deviationCount: number; events: number }
  console.log(`audit verify: ${deviationCount} deviations over ${events} events`)
  return status === 0
}
