import { describe, expect, it } from 'vitest'
import type { VideoTaskEvent } from './events.ts'
import { AN_ATTEMPT, anOrder } from './testing/anOrder.ts'
import { type VideoTaskCommand, videoTask } from './videoTask.decider.ts'

const at = '2026-01-01T00:00:00.000Z'
const fact = { taskId: 'task', at }
const submitted: VideoTaskEvent = { type: 'VideoTaskSubmitted', data: { ...anOrder(), at } }
const requested: VideoTaskEvent = { type: 'VideoRenderRequested', data: { ...fact, ...AN_ATTEMPT } }

/** Returns the data of the only event that a command decides. Optional facts that are unknown are absent. */
function decided(command: VideoTaskCommand, ...events: readonly VideoTaskEvent[]) {
  const [event, ...others] = videoTask.decide(command, events.reduce(videoTask.evolve, videoTask.initial))
  expect(others).toEqual([])
  return event!.data
}

describe('the facts of a task', () => {
  it('name the provider that is asked, and its model if it has one of its own', () => {
    for (const model of [{}, { engineModel: 'fal 2' }]) {
      const command = { type: 'RequestRender', ...AN_ATTEMPT, ...model, at } as const
      expect(decided(command, submitted)).toStrictEqual({ ...fact, ...AN_ATTEMPT, ...model })
    }
  })

  it('say whether a provider refused the task or may have created a job', () => {
    for (const why of [{}, { refused: true }, { bound: true }, { refused: true, bound: true }] as const) {
      const command = { type: 'PostponeRender', detail: 'busy', ...why, at } as const
      expect(decided(command, submitted, requested)).toStrictEqual({ ...fact, detail: 'busy', ...why })
    }
  })

  it('have the cost and the length that the provider reported', () => {
    for (const cost of [{}, { seconds: 6 }, { costCents: 28 }, { seconds: 0, costCents: 0 }])
      expect(decided({ type: 'ReportCost', ...cost, at }, submitted, requested)).toStrictEqual({ ...fact, ...cost })
  })

  it("have the first thousand characters of a provider's error", () => {
    const command = { type: 'Fail', code: 'provider_failed', detail: `${'x'.repeat(1_000)}y`, at } as const
    expect(decided(command, submitted)).toMatchObject({ detail: 'x'.repeat(1_000) })
  })

  it('restart the time of a job that its engine queues again after it had begun, but only once', () => {
    const accepted: VideoTaskEvent = { type: 'VideoRenderAccepted', data: { ...fact, jobId: 'job' } }
    const started: VideoTaskEvent = { type: 'VideoRenderStarted', data: fact }
    const accept = { type: 'AcceptRender', jobId: 'job', at } as const
    const begun = [submitted, requested, accepted, started]
    const stateOf = (events: readonly VideoTaskEvent[]) => events.reduce(videoTask.evolve, videoTask.initial)
    expect(decided(accept, ...begun)).toStrictEqual(accepted.data)
    const again = [...begun, accepted]
    expect(stateOf(again)).toMatchObject({ status: 'rendering', jobId: 'job', startedAt: null })
    expect(decided({ type: 'StartRender', at }, ...again)).toStrictEqual(fact)
    for (const events of [again, [...again, started]]) expect(videoTask.decide(accept, stateOf(events))).toEqual([])
  })
})
