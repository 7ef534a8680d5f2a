import { readdirSync, readFileSync } from 'node:fs'
import type pg from 'pg'
import { cpuTime, ownCpuTime, parentOf } from '../analytics/cpuTime.ts'
import { shown } from '../table/report.ts'
import type { Runs } from './countedFfmpeg.ts'
import { type Layout, PROCESSES } from './layout.ts'
import { readCounts } from './processCounts.ts'

/** A part of what one video costs. */
export interface BudgetRow {
  readonly process: string
  readonly purpose: string
  /** CPU time, ms; null for rows that only count. */
  readonly ms: number | null
  /** How often it happens; null where there is nothing to count. */
  readonly count: number | null
}

type Snapshot = ReadonlyMap<string, Readonly<{ ms: number | null; count: number | null }>>

const keyOf = (process: string, purpose: string) => `${process}|${purpose}`

/** Returns what a part of the installation has used so far, by process and purpose. */
async function take({ postmaster, running, folder, ffmpeg }: Layout, pool: pg.Pool): Promise<Snapshot> {
  const parts = new Map<string, { ms: number | null; count: number | null }>()
  const add = (process: string, purpose: string, ms: number | null, count: number | null = null) => {
    const before = parts.get(keyOf(process, purpose))
    const sum = (a: number | null | undefined, b: number | null) => (a == null ? b : a + (b ?? 0))
    parts.set(keyOf(process, purpose), { ms: sum(before?.ms, ms), count: sum(before?.count, count) })
  }

  const backends = await pool.query<{ pid: number; name: string }>(
    `select pid, case when backend_type = 'client backend' then application_name else backend_type end as name
     from pg_stat_activity where pid <> pg_backend_pid()`,
  )
  let rest = cpuTime(postmaster)
  for (const { pid, name } of backends.rows) {
    const ms = timeOf(pid)
    rest -= ms
    const isOurs = PROCESSES.some((each) => each === name)
    add('PostgreSQL', isOurs ? `for ${name}` : 'WAL, checkpoints, vacuum', ms)
  }
  add('PostgreSQL', 'sessions that ended, this load', rest)
  const { rows } = await pool.query<{ commits: number; sessions: number }>(
    `select xact_commit::float8 as commits, sessions::float8 as sessions
     from pg_stat_database where datname = current_database()`,
  )
  add('PostgreSQL', 'transactions', null, rows[0]!.commits)
  add('PostgreSQL', 'sessions that began', null, rows[0]!.sessions)

  const runs = ffmpeg.read()
  for (const [purpose, { ms, count }] of runs) add('ffmpeg', purpose, ms, count)
  const inFfmpeg = [...runs.values()].reduce((sum, { ms }: Runs) => sum + ms, 0)
  let programs = -inFfmpeg
  for (const [name, { pid }] of running) {
    const own = timeOf(pid)
    add(name, 'the process', own)
    const launcher = childrenOf(pid).reduce((sum, child) => sum + timeOf(child), 0)
    if (launcher > 0) add('launcher', 'of all processes', launcher)
    programs += cpuTime(pid) - own - launcher
    const { statements, notifications } = readCounts(folder, name)
    add(name, 'statements', null, statements)
    for (const [channel, count] of Object.entries(notifications)) add(name, `notifications of ${channel}`, null, count)
  }
  add('other programs', 'starting ffmpeg, drawing stamps', programs)
  return parts
}

/** Follows the CPU time of the whole installation. */
export async function startBudget(layout: Layout) {
  const pool = layout.connect()
  const before = await take(layout, pool)
  return {
    /** Returns the cost of one of the videos since the start. The time of a process that was killed is lost. */
    async end(videos: number, messages: number): Promise<BudgetRow[]> {
      const after = await take(layout, pool)
      await pool.end()
      const rows = [...after].map(([key, { ms, count }]): BudgetRow => {
        const [process, purpose] = key.split('|') as [string, string]
        const since = (value: number | null, base: number | null | undefined) =>
          value === null ? null : Math.max(0, value - (base ?? 0)) / videos
        return {
          ...{ process, purpose },
          ms: since(ms, before.get(key)?.ms),
          count: since(count, before.get(key)?.count),
        }
      })
      rows.push({ process: 'sockets', purpose: 'messages', ms: null, count: messages / videos })
      return rows.toSorted((a, b) => `${a.process} ${a.purpose}`.localeCompare(`${b.process} ${b.purpose}`))
    },
  }
}

/** Returns the CPU time of all parts of a video, ms. */
export const totalOf = (rows: readonly BudgetRow[]): number => rows.reduce((sum, { ms }) => sum + (ms ?? 0), 0)

/** Returns the budget as a Markdown table. */
export function budgetTable(rows: readonly BudgetRow[]): string {
  const cell = (value: number | null) => (value === null ? '' : shown(value))
  return [
    '| Process | Purpose | CPU of a video, ms | Times a video |\n|---|---|---|---|',
    ...rows.map(({ process, purpose, ms, count }) => `| ${process} | ${purpose} | ${cell(ms)} | ${cell(count)} |`),
    `| all | | ${shown(totalOf(rows))} | |`,
  ].join('\n')
}

function timeOf(pid: number): number {
  try {
    return ownCpuTime(pid)
  } catch {
    // The process has ended.
    return 0
  }
}

/** Returns the children of a process that run Node.js: the launcher. */
function childrenOf(parent: number): number[] {
  return readdirSync('/proc')
    .map(Number)
    .filter((pid) => {
      try {
        return (
          pid > 0 &&
          parentOf(pid) === parent &&
          readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes('launcherProgram')
        )
      } catch {
        return false
      }
    })
}
