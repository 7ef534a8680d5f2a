import { generateKeyPairSync, type KeyObject } from 'node:crypto'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { createCredits } from '../../credits/credits.ts'
import { createHandle } from '../../kernel/eventsourcing/handle.ts'
import { runAudit } from '../../programs/audit.ts'
import { startTemporaryDatabase, type TemporaryDatabase } from '../../testing/temporaryDatabase.ts'
import type { Deviation } from '../deviation.ts'
import { keptKey, signingKey } from '../signingKey.ts'
import { AUDITED_TABLES, projectLedger } from '../testing/projectLedger.ts'
import { LEDGER, seedLedger } from '../testing/seedLedger.ts'
import { readHead, signCheckpoint, signHead } from './ledgerHead.ts'
import { type HeadPlace, writeHead } from './writeHead.ts'

const { buyer, other } = LEDGER
const folder = mkdtempSync(path.join(os.tmpdir(), 'kinora-heads-'))
const heads = path.join(folder, 'heads')
const place: HeadPlace = {
  async put(name, text) {
    writeFileSync(path.join(heads, name), text)
  },
  latest: async () => {
    const name = readdirSync(heads).sort().at(-1)
    return name && readFileSync(path.join(heads, name), 'utf8')
  },
}
let db: TemporaryDatabase
let key: KeyObject
let hour = 0
const write = (signedWith = key) => {
  const createdAt = `2026-01-10T${String(hour++).padStart(2, '0')}:00:00.000Z`
  return writeHead(db.store, place, { key: signedWith, createdAt, signal: new AbortController().signal })
}
const grant = (userId: string) => createCredits(createHandle(db.store)).grantFreeCredits(userId, 60)

const TABLES = ['event', ...AUDITED_TABLES]
beforeAll(async () => {
  mkdirSync(heads)
  db = await startTemporaryDatabase()
  key = signingKey(undefined, folder)
  await seedLedger(db.store)
  await write()
  await grant(LEDGER.finished)
  await grant(LEDGER.failed)
  await write()
  await projectLedger(db.store, db.database)
  for (const table of TABLES) await db.pool.query(`create table untouched_${table} as select * from ${table}`)
})
afterAll(async () => {
  await db.close()
  rmSync(folder, { recursive: true, force: true })
})
beforeEach(async () => {
  for (const table of TABLES)
    await db.pool.query(`delete from ${table}; insert into ${table} select * from untouched_${table}`)
})

const audit = (...args: string[]) => auditWith({}, ...args)
async function auditWith(more: Record<string, string>, ...args: string[]) {
  let printed = ''
  const env = { DATABASE_URL: db.url, DATA_DIR: folder, ...more }
  const print = (text: string) => (printed += text)
  const code = await runAudit(['verify', '--json', ...args], { env, print, printError: print })
  return { code, deviations: JSON.parse(printed).deviations as Deviation[] }
}
const withHeads = () => audit('--heads', heads)

/** Deletes events without a trace in the database: closes the gaps in the log and rebuilds the read models. */
async function removeWithoutTrace(condition: string): Promise<void> {
  await db.pool.query(`delete from event where ${condition};
    update event e set position = -n.position from (select id, row_number() over (order by position) as position from event) n
      where n.id = e.id;
    update event set position = -position;
    truncate ${AUDITED_TABLES}`)
  await projectLedger(db.store, db.database)
}

describe('heads of the ledger', () => {
  it('are consistent with the log that they signed, and with one that has grown', async () => {
    expect(readdirSync(heads)).toHaveLength(2)
    expect(await withHeads()).toEqual({ code: 0, deviations: [] })
    await grant(LEDGER.spentByOther)
    await projectLedger(db.store, db.database)
    expect(await withHeads()).toEqual({ code: 0, deviations: [] })
  })

  it('find a rewritten past by a checkpoint that was kept outside, in a file of lines or a saved mail', async () => {
    const [first] = readdirSync(heads).map((name) => readHead(readFileSync(path.join(heads, name), 'utf8')))
    const line = signCheckpoint(first!, 'https://kinora.example', key)
    expect(line).not.toContain(buyer)
    for (const [name, text] of [
      ['kept.jsonl', `${line}\n`],
      ['mail.eml', `Subject: Kinora\n\nKeep this mail.\n\n${line}\n`],
    ] as const) {
      const file = path.join(folder, name)
      writeFileSync(file, text)
      expect(await audit('--heads', file)).toEqual({ code: 0, deviations: [] })
      await removeWithoutTrace(`stream = 'creditAccount-${other}'`)
      const { code, deviations } = await audit('--heads', file)
      expect([code, deviations.filter(({ check }) => check === 'head').length]).toEqual([1, 1])
      for (const table of TABLES)
        await db.pool.query(`delete from ${table}; insert into ${table} select * from untouched_${table}`)
      writeFileSync(file, text.replace('"size":24', '"size":23'))
      expect((await audit('--heads', file)).code).toBe(1)
    }
  })

  it('include only new events in the tree, and list only the streams that changed', async () => {
    const [first, second] = readdirSync(heads).map((name) => readHead(readFileSync(path.join(heads, name), 'utf8')))
    expect([first!.size, second!.size]).toEqual([24, 26])
    expect(second!.previous).toBe(first!.hash)
    expect(second!.streams.map(({ stream }) => stream)).toEqual(
      [LEDGER.finished, LEDGER.failed].map((id) => `creditAccount-${id}`),
    )
  })

  it('are several, if more streams changed than one lists, and name a removed stream', async () => {
    const small = path.join(folder, 'small')
    mkdirSync(small)
    const put = async (name: string, text: string) => writeFileSync(path.join(small, name), text)
    const writing = { key, createdAt: '2026-01-11T00:00:00.000Z', signal: new AbortController().signal, maxListed: 4 }
    expect(await writeHead(db.store, { put, latest: async () => undefined }, writing)).toBe(26)
    const listed = readdirSync(small)
      .sort()
      .map((name) => readHead(readFileSync(path.join(small, name), 'utf8')).streams.length)
    expect(listed).toEqual([4, 4, 4, 4, 1])
    expect(await audit('--heads', small)).toEqual({ code: 0, deviations: [] })
    const stream = `creditAccount-${LEDGER.failed}`
    await removeWithoutTrace(`stream = '${stream}'`)
    expect((await audit('--heads', small)).deviations).toContainEqual(
      expect.objectContaining({ check: 'chain', stream }),
    )
  })

  it('are not written while nothing happens', async () => {
    expect(await write()).toBe(0)
    expect(readdirSync(heads)).toHaveLength(2)
  })

  it('start over with all events after those of another key', async () => {
    const { privateKey } = generateKeyPairSync('ed25519')
    expect(await write(privateKey)).toBe(26)
    const foreign = readdirSync(heads).sort().at(-1)!
    const { code, deviations } = await withHeads()
    expect(code).toBe(1)
    expect(deviations).toMatchObject([{ check: 'head', wrong: expect.stringMatching(/which is not known/) }])
    rmSync(path.join(heads, foreign))
  })

  it('start over and report the last head if a restored log lacks its last event', async () => {
    const restored = path.join(folder, 'restored')
    mkdirSync(restored)
    const written: string[] = []
    const put = async (_: string, text: string) => void written.push(text)
    const lost: string[] = []
    const writeAt = (createdAt: string) =>
      writeHead(
        db.store,
        { put, latest: async () => written.at(-1) },
        { key, createdAt, signal: new AbortController().signal, onLost: (head) => lost.push(head.createdAt) },
      )
    // The last event of the head is not the first one of its stream.
    const reversal = `(select max(position) from event where type = 'CreditsReversed')`
    await removeWithoutTrace(`position > ${reversal}`)
    await writeAt('2026-01-13T01:00:00.000Z')
    await removeWithoutTrace(`position = ${reversal}`)
    await grant(LEDGER.spentByOther)
    await projectLedger(db.store, db.database)
    expect(await writeAt('2026-01-13T02:00:00.000Z')).toBe(readHead(written[0]!).size)
    expect(await writeAt('2026-01-13T03:00:00.000Z')).toBe(0)
    expect(lost).toEqual(['2026-01-13T01:00:00.000Z'])
    writeFileSync(path.join(restored, 'first.json'), written[1]!)
    expect(await audit('--heads', restored)).toEqual({ code: 0, deviations: [] })
  })

  it.each([
    ['a whole stream', `stream = 'creditAccount-${LEDGER.finished}'`, `creditAccount-${LEDGER.finished}`, 0],
    [
      'a hold and its task',
      `stream = 'creditAccount-${buyer}' and revision = 8 or stream = 'videoTask-${LEDGER.open}'`,
      `creditAccount-${buyer}`,
      8,
    ],
  ])('name %s if removed without a trace in the database', async (_, condition, stream, revision) => {
    await removeWithoutTrace(condition)
    expect(await audit()).toEqual({ code: 0, deviations: [] })
    const { code, deviations } = await withHeads()
    expect(code).toBe(1)
    expect(deviations).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ check: 'chain', stream, revision }),
        expect.objectContaining({ check: 'head', wrong: expect.stringMatching(/changed, moved, added or removed/) }),
      ]),
    )
  })

  it('report events of two streams whose order in the log was changed', async () => {
    const move = (stream: string, position: string) =>
      db.pool.query(`update event set position = ${position} where stream = 'creditAccount-${stream}'`)
    await move(LEDGER.finished, '-position')
    await move(LEDGER.failed, 'position - 1')
    await move(LEDGER.finished, '1 - position')
    await removeWithoutTrace('false')
    expect(await audit()).toEqual({ code: 0, deviations: [] })
    expect((await withHeads()).deviations).toMatchObject([
      { check: 'head', wrong: expect.stringMatching(/moved, added or removed after the head of 2026-01-10T00/) },
    ])
  })

  it('are named if one was changed, removed or replaced', async () => {
    const [first, second] = readdirSync(heads)
      .sort()
      .map((name) => path.join(heads, name))
    const [firstText, secondText] = [first!, second!].map((file) => readFileSync(file, 'utf8'))
    const wrongs = async () => (await withHeads()).deviations.map(({ wrong }) => wrong)
    writeFileSync(second!, secondText!.replace('"size":26', '"size":25'))
    expect(await wrongs()).toEqual([expect.stringMatching(/cannot be used: its signature is invalid/)])
    writeFileSync(second!, secondText!)

    const { hash: _, signedWith: __, format: ___, ...head } = readHead(firstText!)
    writeFileSync(first!, signHead({ ...head, size: 23 }, key))
    expect(await wrongs()).toEqual(
      expect.arrayContaining([
        expect.stringMatching(/^The head of 2026-01-10T01.* follows one that is not there/),
        expect.stringMatching(/not the one that the head of 2026-01-10T00/),
      ]),
    )
    writeFileSync(first!, firstText!)
    expect(await wrongs()).toEqual([])
  })

  it('are consistent if the clock was set back after the first one', async () => {
    const early = path.join(folder, 'early')
    mkdirSync(early)
    const written: string[] = []
    const put = async (name: string, text: string) => {
      writeFileSync(path.join(early, name), text)
      written.push(text)
    }
    const latest = async () => written.at(-1)
    const signal = new AbortController().signal
    const at = (createdAt: string) => writeHead(db.store, { put, latest }, { key, createdAt, signal })
    await at('2026-01-12T10:00:00.000Z')
    await grant(LEDGER.spentByOther)
    await at('2026-01-12T09:00:00.000Z')
    await projectLedger(db.store, db.database)
    expect(await audit('--heads', early)).toEqual({ code: 0, deviations: [] })
  })

  it('are accepted one at a time, and each names the part of the log that it signed', async () => {
    const [first] = readdirSync(heads).sort()
    await removeWithoutTrace(`stream = 'creditAccount-${other}' and revision = 2`)
    const { deviations } = await audit('--heads', path.join(heads, first!))
    expect(deviations).toMatchObject([
      { check: 'head', wrong: expect.stringMatching(/removed before it/) },
      { check: 'chain', stream: `creditAccount-${other}`, revision: 2 },
    ])
  })

  it('are signed with the key of AUDIT_KEY_FILE, if it is set', async () => {
    const AUDIT_KEY_FILE = path.join(folder, 'shared.pem')
    keptKey(AUDIT_KEY_FILE)
    const out = path.join(folder, 'shared.tar')
    const print = () => {}
    const env = { DATABASE_URL: db.url, DATA_DIR: folder, AUDIT_KEY_FILE }
    expect(await runAudit(['export', '--out', out], { env, print, printError: print })).toBe(0)
    expect(await auditWith({ AUDIT_KEY_FILE }, '--heads', out)).toEqual({ code: 0, deviations: [] })
    const foreign = [{ check: 'head', wrong: expect.stringContaining('with the key') }]
    expect(await audit('--heads', out)).toMatchObject({ code: 1, deviations: foreign })
    expect(await auditWith({ AUDIT_KEY_FILE }, '--heads', heads)).toMatchObject({ code: 1, deviations: foreign })
  })

  it('prove nothing while no key is known that may sign them', async () => {
    expect(await auditWith({ DATA_DIR: path.join(folder, 'elsewhere') }, '--heads', heads)).toEqual({
      code: 3,
      deviations: [],
    })
  })
})
