import { mkdirSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import type { NewEvent } from '#backend/kernel/eventsourcing/eventStore.port.ts'
import { chainStart, derivedId, eventHash } from '#backend/kernel/eventsourcing/pure/eventHash.ts'
import { aboutPrompt } from '#backend/tasks/promptCipher.port.ts'
import { AN_ATTEMPT, anOrder } from '#backend/tasks/testing/anOrder.ts'
import type { TestKinora } from '#backend/testing/testKinora.ts'

const FILE = { size: 1_000, durationMs: 5_880, width: 1366, height: 768, sha256: '0'.repeat(64) }
const PARALLEL = 8
/** Events in one append. */
const BATCH = 1_000

/**
 * Appends the events of finished videos to the log of a running installation, with a file for each. Resolves when the
 * read models have them and their credits are captured.
 */
export async function seedVideos(
  { services, context, dataDir }: TestKinora,
  { userId, count }: { readonly userId: string; readonly count: number },
): Promise<void> {
  const { store, pool } = context
  const account = `creditAccount-${userId}`
  const recorded = await Array.fromAsync(store.readStream(account))
  const credits = chain(account, recorded.at(-1))
  const lotId = derivedId('gift', userId)
  const amount = 30 * count
  const lot = { userId, lotId, source: 'adjustment', amount, reason: 'seeded', expiresAt: null }
  credits.add('CreditLotGranted', lot, 'operator:seed')
  const tasks = Array.from({ length: count }, (_, n) => derivedId('seeded video', userId, n))
  for (const holdId of tasks)
    credits.add('CreditsHeld', { userId, holdId, parts: [{ lotId, amount: 30 }] }, `user:${userId}`)
  mkdirSync(path.join(dataDir, 'media/videos'), { recursive: true })
  let appended = recorded.length
  const appendAll = async (events: readonly NewEvent[]) => {
    for (let from = 0; from < events.length; from += BATCH) {
      const batch = events.slice(from, from + BATCH)
      await store.append(account, appended - 1, batch)
      appended += batch.length
    }
  }
  let next = 0
  const work = async () => {
    for (let n = next++; n < count; n = next++) {
      const taskId = tasks[n]!
      const prompt = `Seeded video ${n}`
      const encryptedPrompt = await services.userKeys.encrypt(aboutPrompt({ userId }, taskId), prompt)
      const task = chain(`videoTask-${taskId}`)
      task.add('VideoTaskSubmitted', { ...anOrder({ taskId, userId, encryptedPrompt }) })
      task.add('VideoRenderRequested', { taskId, ...AN_ATTEMPT })
      task.add('VideoRenderAccepted', { taskId, jobId: `job-${n}` })
      for (const type of ['VideoRenderStarted', 'VideoDownloadStarted']) task.add(type, { taskId })
      task.add('VideoTaskSucceeded', { taskId, userId, file: FILE })
      writeFileSync(path.join(dataDir, 'media/videos', `${taskId}.mp4`), Buffer.alloc(FILE.size, taskId))
      await store.append(`videoTask-${taskId}`, 'no_stream', task.events)
    }
  }
  // The installation captures the credits itself, when it finds the tasks finished.
  await appendAll(credits.events)
  await Promise.all(Array.from({ length: PARALLEL }, work))
  const seen = `select (select count(*) from video_task where user_id = $1 and status = 'Success')::int as finished,
    (select count(*) from open_hold where user_id = $1)::int as held`
  for (;;) {
    const { rows } = await pool.query<{ finished: number; held: number }>(seen, [userId])
    if (rows[0]!.finished >= count && rows[0]!.held === 0) return
    await new Promise((resolve) => setTimeout(resolve, 100))
  }
}

interface Link {
  readonly stream: string
  readonly revision: number
  readonly id: string
  readonly type: string
  readonly data: object
  readonly meta: object
}

/** Collects events of a stream, each with the hash of the one before it. */
function chain(stream: string, after?: Link) {
  let head = after
  const events: NewEvent[] = []
  const add = (type: string, data: object, actor = 'system') => {
    const revision = head ? head.revision + 1 : 0
    const id = derivedId('seeded', stream, revision)
    const at = new Date(Date.now() - 86_400_000 + revision).toISOString()
    const meta = { correlationId: id, actor, schema: 1, previousHash: head ? eventHash(head) : chainStart(stream) }
    const event = { id, type, data: { ...data, at }, meta }
    head = { stream, revision, ...event }
    events.push(event)
  }
  return { events, add }
}
