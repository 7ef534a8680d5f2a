import { setImmediate as nextTurn } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createHandle } from '../kernel/eventsourcing/handle.ts'
import { createPostgresSnapshots } from '../kernel/eventsourcing/postgres/postgresSnapshots.ts'
import { derivedId } from '../kernel/eventsourcing/pure/eventHash.ts'
import { uuid7 } from '../kernel/eventsourcing/uuid7.ts'
import { FULL, SLACK } from '../testing/fullRun.ts'
import { startTemporaryDatabase, type TemporaryDatabase } from '../testing/temporaryDatabase.ts'
import { creditAccount } from './creditAccount.decider.ts'
import { createCredits } from './credits.ts'
import { available } from './lots.rules.ts'
import { storeLongAccount } from './testing/storeLongAccount.ts'

const EVENTS = FULL ? 100_000 : 10_000
const userId = derivedId('user', 'long')
const stream = `creditAccount-${userId}`
const secret = 'a secret of the installation'

let db: TemporaryDatabase
const warnings: string[] = []
beforeAll(async () => {
  db = await startTemporaryDatabase()
  await storeLongAccount(db.pool, userId, EVENTS)
}, 600_000)
afterAll(() => db.close())

/** Opens the account in a new process. */
function open(key = secret) {
  const log = { warn: (_: object, message: string) => void warnings.push(message) }
  const snapshots = createPostgresSnapshots(db.pool, key, log)
  const handle = createHandle(db.store, { snapshots })
  const credits = createCredits(handle)
  return {
    close: () => snapshots.close(),
    balance: async () => available((await handle.read(creditAccount, userId)).state.lots, new Date().toISOString()),
    hold: (taskId: string) =>
      credits
        .hold(
          { userId, taskId, amount: 1, openLimit: 1_000 },
          { commandId: taskId, actor: 'system', correlationId: 'c' },
        )
        .send(),
    release: (taskId: string) => credits.release(userId, taskId, 'not delivered'),
  }
}

/** Returns the milliseconds that a hold takes in a new process. */
async function firstCommand(): Promise<number> {
  const account = open()
  const began = performance.now()
  await account.hold(uuid7())
  const duration = performance.now() - began
  await account.close()
  return duration
}

/** Returns the longest turn of the event loop during `work`, in milliseconds. */
async function longestTurn(work: () => Promise<unknown>): Promise<number> {
  let [longest, isDone] = [0, false]
  const done = work().then(() => {
    isDone = true
  })
  while (!isDone) {
    const began = performance.now()
    await nextTurn()
    longest = Math.max(longest, performance.now() - began)
  }
  await done
  return longest
}

const least = async (runs: number, measure: () => Promise<number>) => {
  const all: number[] = []
  for (let run = 0; run < runs; run++) all.push(await measure())
  return Math.min(...all)
}

describe(`an account with ${EVENTS} events`, () => {
  it('decides the first command quickly, from a snapshot', async () => {
    const withoutSnapshot = await firstCommand()
    const fromSnapshot = await least(20, firstCommand)
    console.log(`first command ${withoutSnapshot.toFixed(0)} ms, from a snapshot ${fromSnapshot.toFixed(1)} ms`)
    expect(fromSnapshot).toBeLessThan(20 * SLACK)
  })

  it('hardly blocks the event loop by a release', async () => {
    const account = open()
    const blocked = await least(10, async () => {
      const taskId = uuid7()
      await account.hold(taskId)
      return longestTurn(() => account.release(taskId))
    })
    await account.close()
    console.log(`event loop blocked ${blocked.toFixed(2)} ms by a release`)
    expect(blocked).toBeLessThan(2 * SLACK)
  })
})

describe('a snapshot in Postgres', () => {
  const snapshotBalance = async () => {
    const account = open()
    const balance = await account.balance()
    await account.close()
    return balance
  }
  const discards = () => warnings.splice(0).filter((message) => message === 'snapshot discarded, mac invalid').length

  it.each([
    ['its state was raised', `state = regexp_replace(state, '"left":\\d+', '"left":60000')`],
    ['its hash was replaced', `hash = repeat('f', 64)`],
    ['its revision was lowered', 'revision = revision - 1'],
    ['its MAC was replaced', `mac = sha256('x')`],
    ['its MAC was cut', `mac = ''`],
    [
      'it belongs to another stream',
      `state = (select state from stream_snapshot where stream = 'other'),
       mac = (select mac from stream_snapshot where stream = 'other')`,
    ],
  ])('is discarded if %s, and replaced', async (_, edit) => {
    const right = await snapshotBalance()
    discards()
    const raised = `replace((select state from stream_snapshot where stream = '${stream}'), '"left":0', '"left":9')`
    await db.pool.query(`insert into stream_snapshot select 'other', version, revision, hash, ${raised}, mac
      from stream_snapshot where stream = '${stream}' on conflict do nothing`)
    const { rowCount } = await db.pool.query(`update stream_snapshot set ${edit} where stream = $1`, [stream])
    expect(rowCount).toBe(1)
    expect([await snapshotBalance(), discards()]).toEqual([right, 1])
    expect([await snapshotBalance(), discards()]).toEqual([right, 0])
  })

  it('is discarded by an installation with another secret', async () => {
    const right = await snapshotBalance()
    const other = open('another secret')
    discards()
    expect([await other.balance(), discards()]).toEqual([right, 1])
    await other.close()
  })

  it('is not needed while its table cannot be used', async () => {
    const right = await snapshotBalance()
    await db.pool.query('alter table stream_snapshot rename to away')
    expect(await snapshotBalance()).toBe(right)
    expect(warnings).toContain('snapshot not loaded')
    await db.pool.query('alter table away rename to stream_snapshot')
  })
})
