import { execFileSync, spawnSync } from 'node:child_process'
import { createPublicKey, generateKeyPairSync } from 'node:crypto'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createEventStoreDb } from '../kernel/eventsourcing/eventStoreDb/eventStoreDb.ts'
import { EventStoreDbTestServer } from '../kernel/eventsourcing/testing/eventStoreDbTestServer.ts'
import { createTestAuthority } from '../kernel/eventsourcing/testing/testCertificates.ts'
import { runAudit } from '../programs/audit.ts'
import { startTemporaryDatabase, type TemporaryDatabase } from '../testing/temporaryDatabase.ts'
import { hashInThread } from './hashInThread.ts'
import { AUDITED_TABLES, projectLedger } from './testing/projectLedger.ts'
import { LEDGER, seedLedger } from './testing/seedLedger.ts'

const { buyer, other } = LEDGER
const folder = mkdtempSync(path.join(os.tmpdir(), 'kinora-audit-'))
const inFolder = (name: string) => path.join(folder, name)
let db: TemporaryDatabase
beforeAll(async () => {
  db = await startTemporaryDatabase()
  await seedLedger(db.store)
  await projectLedger(db.store, db.database)
  await db.pool.query(
    `insert into user_account (id, email, identity, full_name, language, password_hash, created_at)
     values ($1, 'ada@kinora.test', 'ada@kinora.test', 'Ada', 'en', '', now())`,
    [buyer],
  )
})
afterAll(async () => {
  await db.close()
  rmSync(folder, { recursive: true, force: true })
})

async function audit(args: string[], env: Record<string, string> = {}) {
  let printed = ''
  let errors = ''
  const code = await runAudit(args, {
    env: { DATABASE_URL: db.url, DATA_DIR: folder, ...env },
    print: (text) => (printed += `${text}\n`),
    printError: (text) => (errors += text),
  })
  return { code, printed, errors, json: () => JSON.parse(printed) }
}

describe('npm run audit', () => {
  it('prints a report and exits with 0 when the ledger has no deviation', () => {
    const env = { ...process.env, DATABASE_URL: db.url, EVENTSTORE_URL: '' }
    const { stdout, status } = spawnSync(process.execPath, ['backend/programs/audit.ts', 'verify'], {
      env,
      encoding: 'utf8',
    })
    expect(stdout).toContain('No deviation.')
    expect(stdout).toMatch(/24 events in 7 streams, 2 accounts/)
    expect(stdout).toMatch(/sum +0/)
    expect(status).toBe(0)
  })

  it.each([
    [[], /A command is missing/],
    [['prove'], /"prove" is not a command/],
    [['verify', '--fast'], /--fast/],
    [['statement'], /--user is missing/],
    [['statement', '--user', buyer, '--at', '2026-02-30'], /--at: "2026-02-30"/],
    [['statement', '--user', buyer, '--format', 'xml'], /--format: "xml"/],
    [['explain', '--task', '1'], /--task: "1"/],
    [['export'], /--out is missing/],
    [['export', '--out', folder], /--out: /],
    [['verify', '--heads', '/dev/null'], /--heads: \/dev\/null/],
  ])('refuses %j, names the argument and prints the usage', async (args, complaint) => {
    const refused = await audit(args)
    expect(refused.code).toBe(2)
    expect(refused.errors).toMatch(complaint)
    expect(refused.errors).toContain('Usage: npm run audit')
  })

  it('prints its usage with --help', async () => {
    expect((await audit(['--help'])).printed).toContain('Usage: npm run audit')
    expect((await audit(['export', '--help'])).code).toBe(0)
  })

  it('fails when the hashing thread ends early', async () => {
    const place = { postgres: db.connection, eventStore: { url: 'nowhere', ca: undefined } }
    const pages = hashInThread(new URL('../programs/ledger/hashThread.ts', import.meta.url), place)
    await expect(pages.next()).rejects.toThrow('is not an address such as esdb:')
  })

  it('reports a missing ledger without creating one', async () => {
    const { code, errors } = await audit(['verify'], { DATABASE_URL: '', DATA_DIR: inFolder('nothing') })
    expect([code, errors]).toEqual([1, expect.stringContaining('There is no ledger in')])
    expect(() => statSync(inFolder('nothing'))).toThrow()
  })
})

describe('audit verify --files', () => {
  it('compares every delivered file with the hash in its event', async () => {
    const videos = path.join(folder, 'media/videos')
    mkdirSync(videos, { recursive: true })
    const write = (taskId: string, content: string) => writeFileSync(path.join(videos, `${taskId}.mp4`), content)
    for (const taskId of [LEDGER.finished, LEDGER.spentByOther]) write(taskId, LEDGER.video)
    const sound = await audit(['verify', '--files', '--json'])
    expect([sound.code, sound.json().files]).toEqual([0, { compared: 2, withoutHash: 0 }])
    write(LEDGER.finished, 'another video')
    rmSync(path.join(videos, `${LEDGER.spentByOther}.mp4`))
    const { code, json } = await audit(['verify', '--files', '--json'])
    expect(code).toBe(1)
    expect(json().deviations).toMatchObject(
      [
        { check: 'delivery', stream: `videoTask-${LEDGER.finished}`, revision: 2, wrong: /was changed/ },
        { check: 'delivery', stream: `videoTask-${LEDGER.spentByOther}`, revision: 2, wrong: /is missing/ },
      ].map(({ wrong, ...place }) => ({ ...place, wrong: expect.stringMatching(wrong) })),
    )
  })
})

describe('audit statement', () => {
  it('finds the account by address or id, and lists movements with reasons and the current lots', async () => {
    const statement = (await audit(['statement', '--user', 'Ada@kinora.test', '--format', 'json'])).json()
    expect(statement).toMatchObject({ userId: buyer, spendable: 70, held: 30, owed: 0 })
    expect(statement.lots.map((lot: { source: string; left: number }) => [lot.source, lot.left])).toEqual([
      ['free', 60],
      ['subscription', 0],
      ['adjustment', 10],
    ])
    const listed = (entry: Record<string, unknown>) => [
      entry.kind,
      entry.amount,
      entry.balance,
      entry.reason,
      entry.actor,
    ]
    expect(statement.movements.map(listed)).toEqual([
      ['grant', 60, 60, 'free', 'system'],
      ['grant', 100, 160, 'subscription SALE-1', 'system'],
      ['hold', -30, 130, 'video', `user:${buyer}`],
      ['spend', 0, 130, 'video delivered, 30 held credits spent', 'system'],
      ['hold', -30, 100, 'video', `user:${buyer}`],
      ['release', 30, 130, 'not delivered', 'system'],
      ['grant', 10, 140, 'an apology', 'operator:ada'],
      ['reversal', -40, 100, 'refund', 'system'],
      ['hold', -30, 70, 'video', `user:${buyer}`],
    ])
    expect((await audit(['statement', '--user', buyer, '--format', 'json'])).json().movements).toEqual(
      statement.movements,
    )
  })

  it('is limited to an instant or a period', async () => {
    const all = (await audit(['statement', '--user', buyer, '--format', 'json'])).json()
    const [, , held, spent] = all.movements
    const then = (await audit(['statement', '--user', buyer, '--at', held.at, '--format', 'json'])).json()
    expect(then).toMatchObject({ spendable: 130, held: 30 })
    const between = ['--from', held.at, '--to', spent.at, '--format', 'json']
    expect((await audit(['statement', '--user', buyer, ...between])).json().movements).toEqual([held, spent])
  })

  it('prints a table or CSV', async () => {
    const table = await audit(['statement', '--user', buyer])
    expect(table.printed).toMatch(/70 credits can be spent, 30 are held, 0 are owed/)
    const csv = await audit(['statement', '--user', buyer, '--format', 'csv'])
    expect(csv.printed.split('\r\n')[0]).toBe('at,revision,eventId,kind,amount,balance,reason,actor,taskId,lots')
    expect(csv.printed.split('\r\n')[4]).toContain(',spend,0,130,"video delivered, 30 held credits spent",system,')
  })

  it('fails for an unknown account', async () => {
    const { code, errors } = await audit(['statement', '--user', 'eve@kinora.test'])
    expect([code, errors]).toEqual([1, '--user: there is no credit account of eve@kinora.test.'])
  })
})

describe('audit explain', () => {
  it('lists the events of account and task in order', async () => {
    const listed = (await audit(['explain', '--task', LEDGER.finished, '--json'])).json()
    expect(listed).toMatchObject({ userId: buyer, credits: 30, outcome: 'spent' })
    expect(listed.lots).toEqual([{ lotId: 'sale-SALE-1', amount: 30, from: 'subscription SALE-1, 100 granted' }])
    expect(listed.steps.map(({ type }: { type: string }) => type)).toEqual([
      'CreditsHeld',
      'VideoTaskSubmitted',
      'VideoRenderRequested',
      'VideoTaskSucceeded',
      'CreditsCaptured',
    ])
    expect(JSON.stringify(listed)).not.toContain('sealed')
    const table = await audit(['explain', '--task', LEDGER.finished])
    expect(table.printed).toMatch(/30 credits, spent/)
  })

  it('finds the charge of a task that was never created', async () => {
    expect((await audit(['explain', '--task', LEDGER.failed, '--json'])).json()).toMatchObject({
      userId: buyer,
      outcome: 'given back',
    })
    expect((await audit(['explain', '--task', other])).code).toBe(1)
  })
})

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

describe('audit verify of a ledger in EventStoreDB (the real client, a double of the server)', () => {
  it('passes, and detects a changed byte', async () => {
    const server = await new EventStoreDbTestServer().start()
    const store = createEventStoreDb({ url: server.url })
    await db.pool.query(`truncate ${AUDITED_TABLES}`)
    await seedLedger(store)
    await projectLedger(store, db.database)
    const env = { EVENTSTORE_URL: server.url }
    const sound = (await audit(['verify', '--json'], env)).json()
    expect(sound).toMatchObject({ ok: true, events: 24, deviations: [] })
    expect(sound.readModels.map(({ rows }: { rows: number }) => rows)).toEqual([2, 10, 1, 8, 1, 1, 3, 3, 0, 2, 7])

    const logged = server.log.stream(`creditAccount-${buyer}`)[5]!
    const data = Buffer.from(Buffer.from(logged.data).toString().replace('not delivered', 'not deliverad'))
    Object.assign(logged, { data })
    const { code, json } = await audit(['verify', '--json'], env)
    expect(code).toBe(1)
    expect(json().deviations[0]).toMatchObject({ check: 'chain', revision: 5, id: logged.id })
    await store.close()
    server.kill()
  })

  it('reads a log over TLS with the authority that EVENTSTORE_CA names', async () => {
    const authority = createTestAuthority()
    const server = await new EventStoreDbTestServer({ tls: authority.issue() }).start()
    const store = createEventStoreDb({ url: server.url, ca: authority.ca })
    await db.pool.query(`truncate ${AUDITED_TABLES}`)
    await seedLedger(store)
    await projectLedger(store, db.database)
    const env = { EVENTSTORE_URL: server.url, EVENTSTORE_CA: authority.ca }
    expect((await audit(['verify', '--json'], env)).json()).toMatchObject({ ok: true, events: 24 })
    const { code, errors } = await audit(['verify'], { EVENTSTORE_URL: server.url })
    expect([code, errors]).toEqual([1, expect.stringMatching(/^EVENTSTORE_CA: the certificate of [^\n]*$/)])
    await store.close()
    server.kill()
    authority.remove()
  })

  it('gives up after 15 seconds with the cause, and leaves no partial archive', { timeout: 35_000 }, async () => {
    const mute = await new EventStoreDbTestServer().start()
    mute.silentReads = 'subscriptions'
    const gone = await new EventStoreDbTestServer().start()
    gone.kill()
    const place = inFolder('partial')
    mkdirSync(place)
    const begun = Date.now()
    const outcomes = await Promise.all([
      audit(['export', '--out', path.join(place, 'mute.tar')], { EVENTSTORE_URL: mute.url }),
      audit(['verify'], { EVENTSTORE_URL: gone.url }),
    ])
    expect(Date.now() - begun).toBeLessThan(25_000)
    expect(outcomes.map(({ code, errors }) => [code, errors])).toEqual([
      [1, 'EventStoreDB does not answer (the server accepts connections, but does not answer calls)'],
      [1, `EventStoreDB does not answer (127.0.0.1:${gone.port}: ECONNREFUSED)`],
    ])
    expect(readdirSync(place)).toEqual([])
    mute.kill()
  })
})
