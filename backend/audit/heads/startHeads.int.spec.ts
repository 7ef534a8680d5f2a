import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { eventually } from '#backend/testing/eventually.ts'
import { openHeadFiles } from '../../app/openPlace.ts'
import { createCredits } from '../../credits/credits.ts'
import { createHandle } from '../../kernel/eventsourcing/handle.ts'
import { derivedId } from '../../kernel/eventsourcing/pure/eventHash.ts'
import { Leases } from '../../kernel/postgres/leases.ts'
import { startS3Double } from '../../providers/storage/testing/s3Double.ts'
import { startTemporaryDatabase, type TemporaryDatabase } from '../../testing/temporaryDatabase.ts'
import { readHead, readTree } from './ledgerHead.ts'
import { headPlace, readHeadAge, startHeads } from './startHeads.ts'

const dataDir = mkdtempSync(path.join(os.tmpdir(), 'kinora-head-service-'))
const folder = path.join(dataDir, 'heads')
let db: TemporaryDatabase
beforeAll(async () => {
  db = await startTemporaryDatabase()
})
afterAll(async () => {
  await db.close()
  rmSync(dataDir, { recursive: true, force: true })
})

const grant = (n: number) => createCredits(createHandle(db.store)).grantFreeCredits(derivedId('user', n), 60)
const headFiles = () => readdirSync(folder).filter((name) => name.endsWith('.json') && name !== 'latest.json')

it('a head that cannot be stored leaves no temporary file', async () => {
  const temporaryDir = mkdtempSync(path.join(dataDir, 'temporary-'))
  const blocked = path.join(temporaryDir, 'blocked')
  writeFileSync(blocked, '')
  await expect(openHeadFiles({ folder: blocked }, temporaryDir).write('latest.json', '{}')).rejects.toThrow()
  expect(readdirSync(temporaryDir)).toEqual(['blocked'])
})

describe('the hourly heads of the ledger', () => {
  it('are written by one of several processes, when there are new events, and continue each other', async () => {
    await grant(1)
    await db.pool.query(`update ledger_head set current_at = now() - interval '3 hours'`)
    expect(await readHeadAge(db.pool)).toBeGreaterThan(10_000)
    const errors: unknown[] = []
    const log = {
      info: () => {},
      warn: (detail: unknown) => errors.push(detail),
      error: (detail: unknown) => errors.push(detail),
    }
    const received: string[] = []
    const outside = new Map([['kept', async (checkpoint: string) => void received.push(checkpoint)]])
    const processes = [1, 2].map(() => {
      const leases = new Leases(db.connection, (error) => errors.push(error))
      const context = {
        config: { auditKeyFile: undefined, dataDir },
        clock: Date.now,
        store: db.store,
        pool: db.pool,
        files: openHeadFiles({ folder }, dataDir),
        publicUrl: () => 'https://kinora.example',
        outside,
        reconcileErasures: async () => {},
      }
      return { leases, heads: startHeads({ ...context, leases, log }, { first: 0, every: 50, retry: 50 }) }
    })
    await eventually(() => expect(headFiles()).toHaveLength(1))
    await grant(2)
    await eventually(() => expect(headFiles()).toHaveLength(2))
    const [first, second] = headFiles().map((name) => readHead(readFileSync(path.join(folder, name), 'utf8')))
    expect([first!.size, second!.size, second!.previous]).toEqual([1, 2, first!.hash])
    await eventually(() => expect(received).toHaveLength(2))
    expect(received.map((line) => readTree(line))).toMatchObject([
      { size: 1, root: first!.root, signedWith: first!.signedWith },
      { size: 2, root: second!.root, signedWith: first!.signedWith },
    ])
    expect(received.join()).not.toContain(derivedId('user', 1))
    for (const { heads, leases } of processes) {
      await heads.stop()
      await leases.close()
    }
    expect(await readHeadAge(db.pool)).toBeLessThan(60)
    expect(errors).toEqual([])
  })

  it('are sent outside until the place answers', async () => {
    await grant(3)
    const failures = [new Error('away'), new Error('away')]
    const received: string[] = []
    const send = async (checkpoint: string) => {
      const failure = failures.pop()
      if (failure) throw failure
      received.push(checkpoint)
    }
    const logged: string[] = []
    const note = (_: object, message: string) => logged.push(message)
    const leases = new Leases(db.connection, () => {})
    const heads = startHeads(
      {
        ...{ config: { auditKeyFile: undefined, dataDir }, clock: Date.now, store: db.store, pool: db.pool, leases },
        files: openHeadFiles({ folder }, dataDir),
        publicUrl: () => 'https://kinora.example',
        outside: new Map([['away', send]]),
        reconcileErasures: async () => {},
        log: { info: note, warn: note, error: note },
      },
      { first: 0, every: 3_600_000, retry: 50 },
    )
    await eventually(() => expect(received.map((line) => readTree(line).size)).toEqual([3]))
    await heads.stop()
    await leases.close()
    expect(logged.filter((message) => message === 'ledger head not sent, retrying')).toHaveLength(2)
  })

  it('can be stored in a bucket', async () => {
    const double = await startS3Double()
    const place = headPlace(openHeadFiles({ bucket: double.access, prefix: 'kinora/' }, dataDir))
    expect(await place.latest()).toBeUndefined()
    await place.put('1.json', 'one')
    await place.put('2.json', 'two')
    expect(await place.latest()).toBe('two')
    await double.close()
  })
})
