import { describe, expect, it } from 'vitest'
import { rowsOf } from '../testing/rowsOf.ts'
import { taskEvents, taskFailed } from '../testing/taskEvents.ts'
import { lateRenders } from './lateRender.ts'

const e = taskEvents('task', 'user')
const timedOut = taskFailed('task', 'user', 'render_timed_out', 'job')

describe('a late render', () => {
  it('is recorded when a render times out, or cannot be followed, with a provider job', () => {
    expect(rowsOf(lateRenders, e.submitted, timedOut)).toEqual([{ id: 'task', user_id: 'user' }])
    expect(rowsOf(lateRenders, taskFailed('task', 'user', 'internal', 'job'))).toEqual([
      { id: 'task', user_id: 'user' },
    ])
    expect(rowsOf(lateRenders, taskFailed('task', 'user', 'render_timed_out', null))).toEqual([])
    expect(rowsOf(lateRenders, taskFailed('task', 'user', 'provider_failed', 'job'))).toEqual([])
  })
  it('is recorded when the provider reports a job whose answer was lost', () => {
    const lost = taskFailed('task', 'user', 'answer_lost', null)
    expect(rowsOf(lateRenders, lost)).toEqual([])
    expect(rowsOf(lateRenders, lost, e.found)).toEqual([{ id: 'task', user_id: 'user' }])
  })
  it.each([['recovered'], ['recoveryEnded']] as const)('is over when %s', (end) => {
    expect(rowsOf(lateRenders, timedOut, e[end])).toEqual([])
  })
  it('outlasts the deletion of its task, because its recovery may be storing the video', () => {
    expect(rowsOf(lateRenders, timedOut, e.deleted)).toEqual([{ id: 'task', user_id: 'user' }])
    expect(rowsOf(lateRenders, timedOut, e.deleted, e.recoveryEnded)).toEqual([])
    expect(rowsOf(lateRenders, e.deleted)).toEqual([])
  })
})
