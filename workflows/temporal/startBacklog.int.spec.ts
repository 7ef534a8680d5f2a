import { setTimeout as delay } from 'node:timers/promises'
import { Client, Connection } from '@temporalio/client'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { bySystem } from '#backend/kernel/eventsourcing/command.ts'
import type { GlobalPosition } from '#backend/kernel/eventsourcing/eventStore.port.ts'
import { uuid7 } from '#backend/kernel/eventsourcing/uuid7.ts'
import { createProviderDouble } from '#backend/providers/video/testing/providerDouble.ts'
import type { Generation } from '#backend/tasks/contract.ts'
import type { RenderLaneEvent, VideoTaskEvent } from '#backend/tasks/events.ts'
import { submitTask } from '#backend/tasks/tasks.ts'
import { FULL } from '#backend/testing/fullRun.ts'
import { startTestKinora, type TestKinora } from '#backend/testing/testKinora.ts'
import { readUnstarted } from '#projections/tasks/readTaskHealth.ts'
import { findTemporal, startTemporalServer, type TemporalServer } from '../testing/temporalServer.ts'

const program = findTemporal()
const lacking = program ? '' : ' (skipped: no temporal program found, and pip could not install it)'

const TASKS = FULL ? 1_000 : 60
const PER_SECOND = 100
/** Maximum age of an unstarted task on two cores that do nothing else. The short form also runs on busy machines. */
const MAX_AGE_MS = FULL ? 10_000 : Number.POSITIVE_INFINITY
/**
 * Share of starts that the server answers with the first task of the run. A queued one waits for all starts after it. The server
 * answers so while the worker has a free slot, so on a busy machine the share is any.
 */
const MIN_IMMEDIATE = FULL ? 0.9 : 1 / TASKS
/** Tolerance for a server that is so fast that no backlog builds up. */
const NOISE_MS = FULL ? 500 : Number.POSITIVE_INFINITY
const PAID = { openTasks: 5, priority: 1, fullHd: false }
const FREE = { openTasks: 2, priority: 4, fullHd: false }
const generation: Generation = {
  task_type: 'text_to_video',
  model: 'MiniMax-Hailuo-02',
  prompt: 'A cat',
  duration: 6,
  resolution: '768P',
  camera_movements: [],
  prompt_optimizer: true,
}

describe.skipIf(!program)(`${TASKS} tasks, ${PER_SECOND} per second, on a real Temporal server${lacking}`, () => {
  let server: TemporalServer
  let kinora: TestKinora
  const paid = new Set<string>()
  const taskIds: string[] = []
  const users = Array.from({ length: TASKS }, () => uuid7())
  beforeAll(async () => {
    server = await startTemporalServer(program!, { memory: true })
    const provider = { ...(await createProviderDouble()), pollIntervalMs: 600_000 }
    provider.state = async () => ({ kind: 'rendering', percent: undefined })
    kinora = await startTestKinora({ provider, env: { TEMPORAL_ADDRESS: server.address } })
    await Promise.all(users.map((userId) => kinora.services.credits.grantFreeCredits(userId, 60)))
  })
  afterAll(async () => {
    await kinora?.close()
    await server?.close()
  })

  const submit = (userId: string) => {
    const { handle, clock } = kinora.context
    const { credits } = kinora.services
    const allowance = async () => (paid.has(userId) ? PAID : FREE)
    const encrypt = async (_: object, text: string) => text
    const { catalogue } = kinora.context
    const deps = { handle, clock, credits, catalogue, allowance, encrypt, understands: () => undefined }
    const taskId = uuid7()
    taskIds.push(taskId)
    return submitTask(deps, { taskId, userId, generation, images: { firstFrame: null } }, bySystem('submit', taskId))
  }

  /** Returns the milliseconds between the submission of each task and its slot, by priority. */
  const waits = async () => {
    const since = new Map<string, { priority: number; at: string }>()
    const byPriority = new Map<number, number[]>([
      [PAID.priority, []],
      [FREE.priority, []],
    ])
    const { store } = kinora.context
    const stop = new AbortController()
    const streamPrefixes: [string, string] = ['videoTask-', 'renderLane-']
    const options = { streamPrefixes, signal: stop.signal, onLive: () => stop.abort() }
    for await (const { events } of store.subscribeAll<VideoTaskEvent | RenderLaneEvent>(options))
      for (const { type, data } of events) {
        if (type === 'VideoTaskSubmitted') since.set(data.taskId, data)
        const submitted = type === 'RenderSlotClaimed' && since.get(data.taskId)
        if (submitted) byPriority.get(submitted.priority)!.push(Date.parse(data.at) - Date.parse(submitted.at))
      }
    return byPriority
  }

  /** Returns the share of the tasks whose start was answered with the first task of the run. */
  const immediateShare = async () => {
    const connection = await Connection.connect({ address: server.address })
    const { workflow } = new Client({ connection })
    let immediate = 0
    for (const taskId of taskIds) {
      const { events } = await workflow.getHandle(taskId).fetchHistory()
      if (events?.[0]?.workflowExecutionStartedEventAttributes?.eagerExecutionAccepted) immediate++
    }
    await connection.close()
    return immediate / TASKS
  }

  it(`start in parallel${FULL ? ', those of paid plans first' : ''}`, { timeout: 600_000 }, async () => {
    for (const [n, userId] of users.entries()) if (n % 5 === 4) paid.add(userId)
    const began = Date.now()
    let oldestMs = 0
    let submitted = false
    let last: GlobalPosition | undefined
    const submitting = (async () => {
      for (let first = 0; first < TASKS; first += PER_SECOND / 10) {
        await delay(Math.max(0, began + (first / PER_SECOND) * 1_000 - Date.now()))
        const accepted = await Promise.all(users.slice(first, first + PER_SECOND / 10).map(submit))
        last = accepted
          .flatMap(({ submitted }) => submitted.position ?? [])
          .toSorted()
          .at(-1)
      }
      return Date.now() - began
    })()
    void submitting
      .then(() => kinora.context.changes.waitFor(['openTasks'], last, 120_000))
      .then(() => {
        submitted = true
      })
    for (let unstarted = 1; !submitted || unstarted > 0; ) {
      const { count, since } = await readUnstarted(kinora.context.database)
      unstarted = count
      if (since !== null) oldestMs = Math.max(oldestMs, Date.now() - since * 1_000)
      await delay(100)
    }
    const startedIn = Date.now() - began
    const median = (ms: readonly number[]) => ms.toSorted((a, b) => a - b)[Math.floor(ms.length / 2)]!
    const byPriority = await waits()
    const [paidMs, freeMs] = [PAID, FREE].map(({ priority }) => median(byPriority.get(priority)!))
    console.log(
      `${TASKS} tasks accepted in ${await submitting} ms, started in ${startedIn} ms; oldest unstarted ${Math.round(oldestMs)} ms; median wait: paid ${paidMs} ms, free ${freeMs} ms`,
    )
    expect(byPriority.values().reduce((sum, { length }) => sum + length, 0)).toBe(TASKS)
    expect(paidMs).toBeLessThan(freeMs! + NOISE_MS)
    expect(await immediateShare()).toBeGreaterThanOrEqual(MIN_IMMEDIATE)
    expect(oldestMs).toBeLessThanOrEqual(MAX_AGE_MS)
  })
})
