import { execFileSync, spawn, spawnSync } from 'node:child_process'
import { createPublicKey, generateKeyPairSync } from 'node:crypto'
import { once } from 'node:events'
import { readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import type { TemporaryDatabase } from '../testing/temporaryDatabase.ts'
import { startAuditedLedger } from './testing/auditedLedger.ts'
import { AUDITED_TABLES, projectLedger } from './testing/projectLedger.ts'
import { LEDGER } from './testing/seedLedger.ts'

let ledger: Awaited<ReturnType<typeof startAuditedLedger>>
let db: TemporaryDatabase
beforeAll(async () => {
  ledger = await startAuditedLedger()
  db = ledger.db
})
afterAll(() => ledger.close())
const inFolder = (name: string) => ledger.inFolder(name)
const audit = (...args: Parameters<typeof ledger.audit>) => ledger.audit(...args)

describe('audit export', () => {
  const checker = path.resolve(import.meta.dirname, '../../docs/check_ledger_archive.py')
  const check = (...args: string[]) => spawnSync('python3', [checker, ...args], { encoding: 'utf8' })

  it('writes an archive that the Python checker verifies by its key', async () => {
    const { code, printed } = await audit(['export', '--out', inFolder('a.tar')])
    expect(code).toBe(0)
    const fingerprint = /key ([0-9a-f]{64})/.exec(printed)![1]!
    const valid = check(inFolder('a.tar'), fingerprint)
    expect(valid.stderr + valid.stdout).toMatch(/^VALID: 24 events, 7 streams/)
    expect(valid.stdout).toContain(fingerprint)
    expect(check(inFolder('a.tar'), '0'.repeat(64)).stderr).toContain('signed with another key')
    expect(statSync(inFolder('audit-key.pem')).mode & 0o777).toBe(0o600)
    expect((await audit(['export', '--out', inFolder('a.tar')])).errors).toMatch(/--out: .* exists already/)
    expect((await audit(['export', '--out', inFolder('again.tar')])).printed).toContain(fingerprint)
  })

  it('writes an archive that one changed byte invalidates', async () => {
    const bytes = readFileSync(inFolder('a.tar'))
    for (const text of ['not delivered', '"hash":"', '"deviations":0']) {
      const changed = Buffer.from(bytes)
      const place = changed.indexOf(text) + text.length - 1
      changed[place] = changed[place]! ^ 1
      writeFileSync(inFolder('changed.tar'), changed)
      const { status, stderr } = check(inFolder('changed.tar'))
      expect([text, status, stderr]).toEqual([text, 1, expect.stringContaining('NOT VALID')])
    }
  })

  it('is checked without a traceback, whatever is given to the checker', () => {
    const given = inFolder('given.tar')
    const archive = readFileSync(inFolder('a.tar'))
    const tar = (...names: string[]) => {
      execFileSync('tar', ['-xf', inFolder('a.tar'), '-C', inFolder(''), ...names])
      execFileSync('tar', ['-cf', given, '-C', inFolder(''), ...names])
    }
    const signed = ['manifest.json', 'manifest.sig', 'public-key.pem']
    for (const [prepare, status, message] of [
      [() => writeFileSync(given, 'no archive'), 1, 'NOT VALID: it is no complete tar archive'],
      [() => writeFileSync(given, ''), 1, 'NOT VALID: it is no complete tar archive'],
      [() => writeFileSync(given, archive.subarray(0, archive.length / 2)), 1, 'NOT VALID: '],
      [() => tar('manifest.json'), 1, 'NOT VALID: it has no manifest.sig'],
      [() => tar(...signed), 1, 'NOT VALID: it has no events.jsonl'],
      [() => rmSync(given), 2, `Cannot read ${given}: No such file`],
    ] as const) {
      prepare()
      const { status: code, stderr } = check(given)
      expect([code, stderr.trim().split('\n')]).toEqual([status, [expect.stringContaining(message)]])
    }
    expect(check()).toMatchObject({ status: 2, stderr: expect.stringMatching(/^Usage: /) })
    const withoutOpenssl = { encoding: 'utf8', env: { PATH: inFolder('') } } as const
    const python = execFileSync('python3', ['-c', 'import sys; print(sys.executable)'], { encoding: 'utf8' }).trim()
    expect(spawnSync(python, [checker, inFolder('a.tar')], withoutOpenssl)).toMatchObject({
      status: 2,
      stderr: 'The openssl command is missing.\n',
    })
  })

  it('leaves no part of an archive if it is interrupted', async () => {
    const client = await db.pool.connect()
    onTestFinished(async () => {
      await client.query('rollback')
      client.release()
    })
    await client.query('begin; lock table credit_entry')
    const program = path.resolve(import.meta.dirname, '../programs/audit.ts')
    const env = { ...process.env, DATABASE_URL: db.url, DATA_DIR: inFolder('') }
    const args = [program, 'export', '--out', inFolder('interrupted.tar')]
    const running = spawn(process.execPath, args, { env, stdio: 'ignore' })
    const parts = () => readdirSync(inFolder('')).filter((name) => name.startsWith('interrupted'))
    await expect.poll(() => parts().length).toBe(3)
    running.kill('SIGINT')
    expect(await once(running, 'exit')).toEqual([null, 'SIGINT'])
    expect(parts()).toEqual([])
  })

  it('signs with the given key', async () => {
    const { privateKey } = generateKeyPairSync('ed25519')
    writeFileSync(inFolder('key.pem'), privateKey.export({ type: 'pkcs8', format: 'pem' }))
    await audit(['export', '--out', inFolder('b.tar'), '--key', inFolder('key.pem')])
    const pem = execFileSync('tar', ['-xOf', inFolder('b.tar'), 'public-key.pem'], { encoding: 'utf8' })
    expect(pem).toBe(createPublicKey(privateKey).export({ type: 'spki', format: 'pem' }))
  })

  it('detects by archived heads that the end of a stream was deleted, even after the read models were rebuilt', async () => {
    const verify = () => audit(['verify', '--heads', inFolder('a.tar'), '--json'])
    expect((await verify()).code).toBe(0)
    await db.pool.query(
      `create table kept as select * from event order by position desc limit 1; delete from event e using kept k where k.id = e.id`,
    )
    await db.pool.query(`truncate ${AUDITED_TABLES}`)
    await projectLedger(db.store, db.database)
    expect((await audit(['verify'])).code).toBe(0)
    const { code, json } = await verify()
    expect(code).toBe(1)
    expect(json().deviations).toMatchObject([{ check: 'chain', stream: `videoTask-${LEDGER.open}`, revision: 0 }])
    await db.pool.query('insert into event select * from kept; drop table kept')
    await projectLedger(db.store, db.database)
    expect((await verify()).code).toBe(0)
  })
})
