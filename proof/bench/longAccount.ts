import { setImmediate as nextTurn } from 'node:timers/promises'
import { createCredits } from '#backend/credits/credits.ts'
import { storeLongAccount } from '#backend/credits/testing/storeLongAccount.ts'
import { bySystem } from '#backend/kernel/eventsourcing/command.ts'
import { createHandle } from '#backend/kernel/eventsourcing/handle.ts'
import { createPostgresSnapshots } from '#backend/kernel/eventsourcing/postgres/postgresSnapshots.ts'
import { derivedId } from '#backend/kernel/eventsourcing/pure/eventHash.ts'
import { uuid7 } from '#backend/kernel/eventsourcing/uuid7.ts'
import { startTemporaryDatabase } from '#backend/testing/temporaryDatabase.ts'
import { quantile } from './analytics/quantile.ts'
import { record } from './table/record.ts'

/**
 * Measures the first command of a new process on an account with 100,000 events, and how long a release on it blocks the
 * event loop: `npm run bench -- longAccount [events]`.
 */
const events = Number(process.argv[2] ?? 100_000)
const REPETITIONS = 5
const RELEASES = 20

const db = await startTemporaryDatabase()
const userId = derivedId('user', 'long')
await storeLongAccount(db.pool, userId, events)

/** Opens the account as a new process does. */
function openAccount() {
  const snapshots = createPostgresSnapshots(db.pool, 'bench', console)
  const credits = createCredits(createHandle(db.store, { snapshots }))
  const hold = (taskId: string) =>
    credits.hold({ userId, taskId, amount: 1, openLimit: 1_000_000 }, bySystem('hold', taskId)).send()
  const release = (taskId: string) => credits.release(userId, taskId, 'not delivered')
  return { hold, release, close: () => snapshots.close() }
}

/** Returns the duration of the first command, ms. */
async function measureFirst(): Promise<number> {
  const account = openAccount()
  const taskId = uuid7()
  const begun = performance.now()
  await account.hold(taskId)
  const duration = performance.now() - begun
  await account.release(taskId)
  await account.close()
  return duration
}

/** Returns the longest turn of the event loop during `work`, ms. */
async function longestTurn(work: () => Promise<unknown>): Promise<number> {
  let [longest, isDone, begun] = [0, false, performance.now()]
  const done = work().then(() => {
    isDone = true
  })
  while (!isDone) {
    await nextTurn()
    longest = Math.max(longest, performance.now() - begun)
    begun = performance.now()
  }
  await done
  return longest
}

async function measureReleases(): Promise<number> {
  const account = openAccount()
  const turns: number[] = []
  for (let n = 0; n < RELEASES; n++) {
    const taskId = uuid7()
    await account.hold(taskId)
    turns.push(await longestTurn(() => account.release(taskId)))
  }
  await account.close()
  return quantile(turns, 0.5)
}

const whole = await measureFirst()
const fromSnapshot: number[] = []
for (let n = 0; n < REPETITIONS; n++) fromSnapshot.push(await measureFirst())
const [first, blocked] = [quantile(fromSnapshot, 0.5), await measureReleases()]
console.log(
  `first command on ${events} events: ${whole.toFixed(0)} ms when it reads them all, ${first.toFixed(1)} ms from a snapshot; a release blocks the event loop for ${blocked.toFixed(2)} ms`,
)
record('first_command', first)
record('release_blocks', blocked)
await db.close()
