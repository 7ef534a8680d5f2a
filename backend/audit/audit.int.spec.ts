import { spawnSync } from 'node:child_process'
import { mkdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { TemporaryDatabase } from '../testing/temporaryDatabase.ts'
import { readInThread } from './readInThread.ts'
import { startAuditedLedger } from './testing/auditedLedger.ts'
import { LEDGER } from './testing/seedLedger.ts'

const { buyer, other } = LEDGER
let ledger: Awaited<ReturnType<typeof startAuditedLedger>>
let db: TemporaryDatabase
beforeAll(async () => {
  ledger = await startAuditedLedger()
  db = ledger.db
})
afterAll(() => ledger.close())
const inFolder = (name: string) => ledger.inFolder(name)
const audit = (...args: Parameters<typeof ledger.audit>) => ledger.audit(...args)

describe('npm run audit', () => {
  it('prints a report and exits with 0 when the ledger has no deviation', () => {
    const env = { ...process.env, DATABASE_URL: db.url, EVENTSTORE_URL: '' }
    const { stdout, status } = spawnSync(process.execPath, ['backend/programs/audit.ts', 'verify'], {
      env,
      encoding: 'utf8',
    })
    expect(stdout).toContain('No deviation.')
    expect(stdout).toContain('Without --heads, this cannot show that the end of a stream or a whole stream was removed')
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
    [['export', '--out', os.tmpdir()], /--out: /],
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
    const pages = readInThread(new URL('../programs/ledger/readThread.ts', import.meta.url), place)
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
    const videos = inFolder('media/videos')
    mkdirSync(videos, { recursive: true })
    const write = (taskId: string, content: string) => writeFileSync(path.join(videos, `${taskId}.mp4`), content)
    for (const taskId of [LEDGER.finished, LEDGER.spentByOther]) write(taskId, LEDGER.video)
    const sound = await audit(['verify', '--files', '--json'])
    expect([sound.code, sound.json().files]).toEqual([0, { compared: 2 }])
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

describe('audit verify --with-provider', () => {
  it('names a sale that the payment provider does not list, or lists with another amount', async () => {
    const compare = () => audit(['verify', '--with-provider', '--json'])
    const place = { check: 'grant', stream: `subscription-${buyer}`, revision: 2 }
    const unknown = await compare()
    expect([unknown.code, unknown.json().deviations]).toEqual([
      1,
      [expect.objectContaining({ ...place, wrong: 'The payment provider does not know the sale SALE-1.' })],
    ])
    await db.pool.query(
      `insert into sandbox_agreement values ($1, 'r', $2, 'standard', 1299, 'active', now(), null, null, null, '', '', 'en')`,
      [LEDGER.agreement, buyer],
    )
    await db.pool.query('insert into sandbox_sale values ($1, $2, 1299, 0, now())', [LEDGER.sale, LEDGER.agreement])
    const known = await compare()
    expect([known.code, known.json().sales]).toEqual([0, 1])
    await db.pool.query('update sandbox_sale set amount_cents = 1')
    expect((await compare()).json().deviations).toMatchObject(
      [{ ...place, wrong: /another amount/ }].map(({ wrong, ...rest }) => ({
        ...rest,
        wrong: expect.stringMatching(wrong),
      })),
    )
    const off = await audit(['verify', '--with-provider'], { PAYMENTS: 'off' })
    expect([off.code, off.errors]).toEqual([1, expect.stringContaining('payments are off')])
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

  it('includes the whole last day of a period', async () => {
    const all = (await audit(['statement', '--user', buyer, '--format', 'json'])).json()
    const day = all.movements.at(-1).at.slice(0, 10)
    const ofDay = all.movements.filter(({ at }: { at: string }) => at.startsWith(day))
    const { movements, to } = (
      await audit(['statement', '--user', buyer, '--from', day, '--to', day, '--format', 'json'])
    ).json()
    expect([movements, to]).toEqual([ofDay, `${day}T23:59:59.999Z`])
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
