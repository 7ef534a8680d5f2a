import { mkdtempSync, rmSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { runAudit } from '../../programs/audit.ts'
import { startTemporaryDatabase } from '../../testing/temporaryDatabase.ts'
import { projectLedger } from './projectLedger.ts'
import { LEDGER, seedLedger } from './seedLedger.ts'

/** Starts a database with a small ledger, of which the buyer is Ada, and a data folder, for the audit program. */
export async function startAuditedLedger() {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'kinora-audit-'))
  const db = await startTemporaryDatabase()
  await seedLedger(db.store)
  await projectLedger(db.store, db.database)
  await db.pool.query(
    `insert into user_account (id, email, identity, full_name, language, password_hash, created_at)
     values ($1, 'ada@kinora.test', 'ada@kinora.test', 'Ada', 'en', '', now())`,
    [LEDGER.buyer],
  )
  return {
    db,
    folder,
    inFolder: (name: string) => path.join(folder, name),
    async audit(args: string[], env: Record<string, string> = {}) {
      let printed = ''
      let errors = ''
      const code = await runAudit(args, {
        env: { DATABASE_URL: db.url, DATA_DIR: folder, ...env },
        print: (text) => (printed += `${text}\n`),
        printError: (text) => (errors += text),
      })
      return { code, printed, errors, json: () => JSON.parse(printed) }
    },
    async close() {
      await db.close()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}
