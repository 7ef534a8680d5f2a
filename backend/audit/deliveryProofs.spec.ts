import { describe, expect, it } from 'vitest'
import { taskEvents, taskFailed } from '#projections/testing/taskEvents.ts'
import type { CreditAccountEvent } from '../credits/events.ts'
import type { GlobalPosition, Stored } from '../kernel/eventsourcing/eventStore.port.ts'
import { createMemoryEventStore } from '../kernel/eventsourcing/testing/memoryEventStore.ts'
import type { VideoTaskEvent } from '../tasks/events.ts'
import { DeliveryProofs } from './deliveryProofs.ts'
import { Deviations } from './deviation.ts'
import { DeliveredFiles } from './outside/deliveredFiles.ts'

const at = '2026-01-01T00:00:00.000Z'
const parts = [{ lotId: 'lot', amount: 30 }]
const credit = {
  held: { type: 'CreditsHeld', data: { userId: 'ada', holdId: 'task', parts, at } },
  captured: { type: 'CreditsCaptured', data: { userId: 'ada', holdId: 'task', at } },
  released: {
    type: 'CreditsReleased',
    data: { userId: 'ada', holdId: 'task', reason: 'not delivered', parts, renewed: null, at },
  },
} as const satisfies Record<string, CreditAccountEvent>
const { submitted, requested, succeeded, recovered, abandoned, deleted } = taskEvents('task', 'ada')
const failed = taskFailed('task', 'ada', 'render_timed_out', 'job')
const { held, captured, released } = credit

type Fact = VideoTaskEvent | CreditAccountEvent
const isTask = (event: Fact): event is VideoTaskEvent => /^Video/.test(event.type)

/** Returns the events as stored, with revisions from 0 in each stream. */
function stored(events: readonly Fact[]): Stored<Fact>[] {
  const lengths: Record<string, number> = {}
  return events.map((event, n) => {
    const stream = isTask(event) ? 'videoTask-task' : 'creditAccount-ada'
    const revision = lengths[stream] ?? 0
    lengths[stream] = revision + 1
    const position = String(n) as GlobalPosition
    return { ...event, id: String(n), stream, revision, position, created: new Date(0), meta: {} }
  })
}

function deviationsOf(...events: readonly Fact[]): string[] {
  const deviations = new Deviations()
  const proofs = new DeliveryProofs(deviations)
  for (const event of stored(events))
    if (event.stream.startsWith('videoTask')) proofs.takeTask(event as Stored<VideoTaskEvent>)
    else proofs.takeCredit(event as Stored<CreditAccountEvent>)
  return deviations.found.map(({ stream, revision, wrong }) => `${stream} ${revision}: ${wrong}`)
}

describe('a charge that follows its delivery', () => {
  it.each<[string, readonly Fact[]]>([
    ['captured after a success', [held, submitted, requested, succeeded, captured]],
    ['captured although the video was deleted later', [held, submitted, succeeded, deleted, captured]],
    ['released after a failure', [held, submitted, failed, released]],
    ['released, and the video recovered later', [held, submitted, failed, released, recovered, deleted]],
    ['released after the recovery', [held, submitted, failed, recovered, released]],
    ['released after the task was abandoned', [held, abandoned, released]],
    ['released when the account of a task that was never submitted is erased', [held, released]],
    ['still held', [held, submitted, requested]],
  ])('has no deviation: %s', (_, events) => {
    expect(deviationsOf(...events)).toEqual([])
  })
})

describe('a charge that does not follow its delivery', () => {
  it.each<[string, readonly Fact[], RegExp]>([
    [
      'captured after a failure',
      [held, submitted, failed, captured],
      /^videoTask-task 1: The task failed, but .* captured \(creditAccount-ada, revision 1\)/,
    ],
    [
      'captured after a late success',
      [held, submitted, failed, recovered, captured],
      /^videoTask-task 1: .* recovered later, but .* captured/,
    ],
    [
      'captured for an abandoned task',
      [held, abandoned, captured],
      /^videoTask-task 0: .* never submitted, but .* captured/,
    ],
    ['captured before the end', [held, submitted, captured], /^creditAccount-ada 1: The credits were captured before/],
    ['captured without a task', [held, captured], /^creditAccount-ada 1: The credits were captured before/],
    ['released before the end', [held, submitted, released], /^creditAccount-ada 1: The credits were released before/],
    [
      'released after a success',
      [held, submitted, succeeded, released],
      /^videoTask-task 1: The task succeeded, but .* released/,
    ],
    [
      'a success after the release',
      [held, submitted, failed, released, succeeded],
      /^videoTask-task 2: The task had ended before: it failed/,
    ],
    [
      'recovered without a failure',
      [held, submitted, succeeded, recovered],
      /^videoTask-task 2: It recovers a task that had not failed/,
    ],
    ['submitted without a hold', [submitted], /^videoTask-task 0: No credits were held/],
    [
      'a success after credits that were released before the order',
      [held, released, submitted, succeeded],
      /^videoTask-task 1: The task succeeded, but its credits were released before it was ordered/,
    ],
  ])('is named: %s', (_, events, wrong) => {
    expect(deviationsOf(...events)).toEqual([expect.stringMatching(wrong)])
  })

  it('is named with the hold if it is not the price of the order', () => {
    const cheap = { ...held, data: { ...held.data, parts: [{ lotId: 'lot', amount: 10 }] } }
    expect(deviationsOf(cheap, submitted)).toEqual([
      'creditAccount-ada 0: It holds 10 credits; the video that was ordered costs 30.',
    ])
    expect(deviationsOf(held, { ...submitted, data: { ...submitted.data, credits: 10 } })).toEqual([
      'videoTask-task 0: It names 10 credits; the video that it orders costs 30.',
    ])
  })

  it('is named if the owner of the task did not pay, or an event names another owner or task', () => {
    const of = <E extends Fact>(event: E, data: object): E => ({ ...event, data: { ...event.data, ...data } })
    expect(deviationsOf(held, of(submitted, { userId: 'bob' }))).toEqual([
      'videoTask-task 0: The credits were held for it in the account of another user, ada.',
    ])
    expect(deviationsOf(held, submitted, of(succeeded, { userId: 'bob' }), captured)).toEqual([
      'videoTask-task 1: It names another user, bob, than the order.',
    ])
    expect(deviationsOf(held, submitted, of(requested, { taskId: 'other' }))).toEqual([
      'videoTask-task 1: It names another task: other.',
    ])
  })

  it('is named if a second account pays for the video', () => {
    const ofBob = <E extends Fact>(event: E): E => ({ ...event, data: { ...event.data, userId: 'bob' } })
    expect(deviationsOf(held, submitted, succeeded, captured, ofBob(held), ofBob(captured))).toEqual([
      'creditAccount-ada 2: Credits were held for it before, in the account of another user, ada.',
    ])
  })
})

describe('a delivered file', () => {
  const withHash = (sha256: string) => ({
    ...succeeded,
    data: { ...succeeded.data, file: { ...succeeded.data.file, sha256 } },
  })

  async function compare(file: string | undefined, events: readonly Fact[], later: readonly Fact[] = []) {
    const all = stored([...events, ...later])
    const store = createMemoryEventStore()
    store.log.push(...all)
    const deviations = new Deviations()
    const files = new DeliveredFiles(async () => file)
    for (const event of all.slice(0, events.length)) files.take(event as Stored<VideoTaskEvent>)
    return { ...(await files.compare(store, deviations)), wrong: deviations.found.map(({ wrong }) => wrong) }
  }

  it('is compared with the hash of its delivery', async () => {
    const events = [submitted, withHash('one')]
    expect(await compare('one', events)).toEqual({ compared: 1, wrong: [] })
    expect(await compare('two', events)).toMatchObject({ wrong: [expect.stringContaining('was changed')] })
  })

  it('may be missing only if its task was deleted, even during the audit', async () => {
    const events = [submitted, withHash('one')]
    expect(await compare(undefined, events)).toMatchObject({ wrong: ['Its video file is missing.'] })
    expect(await compare(undefined, [...events, deleted])).toMatchObject({ wrong: [] })
    expect(await compare(undefined, events, [deleted])).toMatchObject({ wrong: [] })
  })
})
