import { readFileSync, renameSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import pg from 'pg'
import { countStatements } from '../statements/countStatements.ts'
import type { ProcessName } from './layout.ts'

/** What one process has sent to PostgreSQL and received from it since it started. */
export interface ProcessCounts {
  readonly statements: number
  /** By channel. */
  readonly notifications: Readonly<Record<string, number>>
}

const INTERVAL_MS = 1_000
const fileOf = (folder: string, name: string) => path.join(folder, `counts-${name}.json`)

/** Counts the statements and the notifications of this process, and writes them to a file each second. */
export function writeCounts(folder: string, name: string): void {
  const counted = countStatements()
  const notifications: Record<string, number> = {}
  let statements = 0
  const { emit } = pg.Client.prototype
  pg.Client.prototype.emit = function noted(this: pg.Client, event: string, ...args: unknown[]) {
    if (event === 'notification') {
      const { channel } = args[0] as pg.Notification
      notifications[channel] = (notifications[channel] ?? 0) + 1
    }
    return Reflect.apply(emit, this, [event, ...args])
  } as typeof emit
  setInterval(() => {
    for (const count of counted.take().values()) statements += count
    const file = fileOf(folder, name)
    writeFileSync(`${file}.part`, JSON.stringify({ statements, notifications } satisfies ProcessCounts))
    renameSync(`${file}.part`, file)
  }, INTERVAL_MS).unref()
}

/** Returns the counts of a process; none if it has written none. */
export function readCounts(folder: string, name: ProcessName): ProcessCounts {
  try {
    return JSON.parse(readFileSync(fileOf(folder, name), 'utf8'))
  } catch {
    return { statements: 0, notifications: {} }
  }
}
