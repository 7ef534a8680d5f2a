import { describe, expect, it } from 'vitest'
import { rowsOf } from '../testing/rowsOf.ts'
import { taskEvents, taskFailed } from '../testing/taskEvents.ts'
import { taskOutcomes } from './taskOutcome.ts'

const e = taskEvents('task', 'user')
const { model, credits } = e.submitted.data
const clip = { id: 'task', resolution: '768P', duration: 6, model, engine: null as string | null, credits, cents: null }
const row = { ...clip, ended_at: null, error_code: null }
const failed = taskFailed('task', 'user', 'render_timed_out', 'job')
const at = (second: number) => ({ ended_at: `2026-01-01T00:00:0${second}.000Z` })

describe('a task outcome', () => {
  it('is open until it succeeds or fails', () => {
    expect(rowsOf(taskOutcomes, e.submitted, e.started)).toEqual([row])
    expect(rowsOf(taskOutcomes, e.submitted, e.succeeded)).toEqual([{ ...row, ...at(6) }])
    expect(rowsOf(taskOutcomes, e.submitted, failed)).toEqual([{ ...row, ...at(7), error_code: 'render_timed_out' }])
    expect(rowsOf(taskOutcomes, e.succeeded)).toEqual([])
    expect(rowsOf(taskOutcomes, failed)).toEqual([])
  })
  it('is a success after a recovery', () => {
    expect(rowsOf(taskOutcomes, e.submitted, failed, e.recovered)).toEqual([{ ...row, ...at(8) }])
  })
  it('costs what the provider reports, or else what its order says', () => {
    const shape = { taskTypes: ['text_to_video' as const], resolutions: ['768P'], seconds: [6] }
    const ordered = (prices: object) => ({
      ...e.submitted,
      data: { ...e.submitted.data, shape: { ...shape, ...prices } },
    })
    const reported = {
      type: 'VideoCostReported',
      data: { taskId: 'task', seconds: 6, costCents: 12.5, at: '' },
    } as const
    const cost = (...events: Parameters<typeof rowsOf>[1][]) => {
      return (rowsOf(taskOutcomes, ...events)[0] as typeof clip).cents ?? 'unknown'
    }
    expect([ordered({ cents: 28 }), ordered({ centsPerSecond: 8 }), ordered({})].map((each) => cost(each))).toEqual([
      28,
      48,
      'unknown',
    ])
    for (const order of [ordered({ cents: 28 }), ordered({}), e.submitted]) expect(cost(order, reported)).toBe(12.5)
    const secondsOnly = { ...reported, data: { taskId: 'task', seconds: 6, at: '' } }
    expect([cost(ordered({ cents: 28 }), secondsOnly), cost(ordered({}), secondsOnly)]).toEqual([28, 'unknown'])
  })
  it('remains when an ended task is deleted', () => {
    expect(rowsOf(taskOutcomes, e.submitted, e.succeeded, e.deleted)).toEqual([{ ...row, ...at(6) }])
    expect(rowsOf(taskOutcomes, e.submitted, e.deleted)).toEqual([])
  })
  it('is not recorded for an abandoned task', () => {
    expect(rowsOf(taskOutcomes, e.abandoned)).toEqual([])
  })
})
