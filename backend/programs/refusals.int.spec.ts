import { spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { savePhrase } from '../backups/backupState.ts'
import { startTemporaryDatabase, type TemporaryDatabase } from '../testing/temporaryDatabase.ts'
import { runAdjust } from './adjust.ts'
import { runBackup } from './backup.ts'
import { runDrill } from './drill.ts'
import { runInvite } from './invite.ts'
import { runRecoveryPhrase } from './recoveryPhrase.ts'
import { runReplayParked } from './replayParked.ts'
import { runRestore } from './restore.ts'
import { runRotateKey } from './rotateKey.ts'

const folder = mkdtempSync(path.join(os.tmpdir(), 'kinora-refusals-'))
const out = path.join(folder, 'copy')
let db: TemporaryDatabase
beforeAll(async () => {
  db = await startTemporaryDatabase()
})
afterAll(async () => {
  await db.close()
  rmSync(folder, { recursive: true })
})

type Run = (args: readonly string[], env: NodeJS.ProcessEnv, print: (text: string) => void) => Promise<number>
const invite: Run = (args, env, print) => runInvite(args, { env, print: () => {}, printError: print })
async function refusal(run: Run, args: readonly string[], env: NodeJS.ProcessEnv) {
  const lines: string[] = []
  const code = await run(args, { DATA_DIR: folder, ...env }, (text) => lines.push(text))
  return { code, text: lines.join('\n') }
}

describe('a program', () => {
  it.each<[string, Run, string[]]>([
    ['backup', runBackup, ['--out', out]],
    ['drill', runDrill, []],
    ['invite', invite, ['person@example.com']],
    ['recovery-phrase', runRecoveryPhrase, []],
    ['rotate-key', runRotateKey, []],
  ])('makes no installation in a folder that has none: %s', async (_, run, args) => {
    const DATA_DIR = path.join(folder, 'misspelt')
    const text = `There is no ledger in ${DATA_DIR}: set DATA_DIR or DATABASE_URL.`
    expect(await refusal(run, args, { DATA_DIR })).toEqual({ code: 1, text })
    expect([DATA_DIR, out].filter(existsSync)).toEqual([])
  })

  it.each<[string, Run, string[]]>([
    ['backup', runBackup, ['--out', out]],
    ['recovery-phrase', runRecoveryPhrase, []],
    ['replay-parked', runReplayParked, []],
    ['rotate-key', runRotateKey, []],
  ])('says in one sentence that the database refuses it: %s', async (_, run, args) => {
    const DATABASE_URL = db.url.replace(/\/\w+(?=\?|$)/, '/absent')
    expect(await refusal(run, args, { DATABASE_URL })).toEqual({
      code: 1,
      text: 'Cannot connect to the database (database "absent" does not exist). Create the database, or correct its name in DATABASE_URL.',
    })
  })

  it.each<[string, Run, string[]]>([
    ['adjust', runAdjust, ['--user', 'ada@kinora.test', '--amount', '5', '--reason', 'x']],
    ['replay-parked', runReplayParked, []],
  ])('names a DATABASE_URL that is no address, and does not show it: %s', async (_, run, args) => {
    const { code, text } = await refusal(run, args, { DATABASE_URL: 'postgres://me:se#cret@host/kinora' })
    expect([code, text]).toEqual([1, expect.stringMatching(/^DATABASE_URL is not an address such as .* %23 for #$/)])
  })

  it('names an option that is given twice', async () => {
    const twice = ['--user', 'a@kinora.test', '--amount', '5', '--amount', '500', '--reason', 'x']
    expect(await refusal(runAdjust, twice, {})).toEqual({
      code: 2,
      text: expect.stringMatching(/^--amount is given twice\n/),
    })
  })

  it('names a folder for a backup that cannot be made', async () => {
    const file = path.join(folder, 'file')
    writeFileSync(file, '')
    expect(await refusal(runBackup, ['--out', path.join(file, 'copy')], { DATABASE_URL: db.url })).toEqual({
      code: 1,
      text: `${file}/copy cannot be made (ENOTDIR): name a folder that can be written`,
    })
  })

  it('keeps one recovery phrase if two replace the same one', async () => {
    const save = (recipient: string) => savePhrase(db.pool, recipient, null)
    expect((await Promise.all(['age1one', 'age1two'].map(save))).toSorted()).toEqual([false, true])
  })

  it('makes one backup if two have the same folder', async () => {
    const run = () => refusal(runBackup, ['--out', out], { DATABASE_URL: db.url })
    const runs = await Promise.all([run(), run()])
    expect(runs.toSorted((a, b) => a.code - b.code)).toEqual([
      { code: 0, text: expect.stringMatching(/copy: \d+ tables/) },
      { code: 1, text: expect.stringContaining(`${out} already exists`) },
    ])
  })

  it('names a target of a restore that is no address', async () => {
    const args = ['--from', folder, '--database', 'postgres://me:se#cret@host/kinora']
    expect(await refusal(runRestore, args, {})).toEqual({
      code: 2,
      text: expect.stringMatching(/^--database is not an address such as /),
    })
  })

  it('creates no plans at PayPal with an argument that it does not know', () => {
    const env = {
      PATH: process.env.PATH,
      PAYPAL_CLIENT_ID: 'x',
      PAYPAL_CLIENT_SECRET: 'x',
      PAYPAL_BASE_URL: 'http://127.0.0.1:9',
    }
    const program = path.join(import.meta.dirname, 'paypalPlans.ts')
    const { status, stderr } = spawnSync(process.execPath, [program, '--dry-run'], { env, encoding: 'utf8' })
    expect([status, stderr]).toEqual([2, expect.stringContaining("Unknown option '--dry-run'")])
  })
})
