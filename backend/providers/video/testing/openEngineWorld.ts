import { mkdtempSync, rmSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { pino } from 'pino'
import { afterAll, beforeAll, beforeEach } from 'vitest'
import { createOperatorAlerts } from '#backend/operators/alerts/operatorAlerts.ts'
import { startTemporaryDatabase, type TemporaryDatabase } from '#backend/testing/temporaryDatabase.ts'

/**
 * Opens what the specs of an engine's adapter share, for the whole file: a folder, a database without open breakers and
 * alerts, and a log whose lines of the present test can be read.
 */
export function openEngineWorld(name: string) {
  const folder = mkdtempSync(path.join(os.tmpdir(), `kinora-${name}-`))
  const lines: string[] = []
  const log = pino({ level: 'trace' }, { write: (line: string) => void lines.push(line) })
  let db: TemporaryDatabase
  beforeAll(async () => {
    db = await startTemporaryDatabase()
  })
  beforeEach(async () => {
    lines.length = 0
    await db.pool.query('truncate circuit, operator_alert')
  })
  afterAll(async () => {
    await db.close()
    rmSync(folder, { recursive: true })
  })
  const deps = () => ({ pool: db.pool, log, alerts: createOperatorAlerts(db.pool, log) })
  return { folder, lines, deps }
}
