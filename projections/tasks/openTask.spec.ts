import { describe, expect, it } from 'vitest'
import { rowsOf } from '../testing/rowsOf.ts'
import { taskEvents, taskFailed } from '../testing/taskEvents.ts'
import { openTasks } from './openTask.ts'

const e = taskEvents('task', 'user')
const slot = (type: string) => ({ type, data: { userId: 'user', taskId: 'task', at: '2026-01-01T00:00:00.000Z' } })

describe('an open task', () => {
  it('is open from its submission until its slot is released, whatever its outcome', () => {
    const open = [{ id: 'task', user_id: 'user', priority: 4, unstarted_since: null }]
    const more = [e.submitted, slot('RenderSlotAsked'), slot('RenderSlotClaimed'), e.started, e.succeeded, e.deleted]
    expect(rowsOf(openTasks, ...more)).toEqual(open)
    expect(rowsOf(openTasks, ...more, slot('RenderSlotReleased'))).toEqual([])
  })

  it('is unstarted until it gets a slot, waits for one, or ends', () => {
    const unstarted = { id: 'task', user_id: 'user', priority: 4, unstarted_since: e.submitted.data.at }
    expect(rowsOf(openTasks, e.submitted, slot('RenderSlotAsked'))).toEqual([unstarted])
    for (const event of [slot('RenderSlotClaimed'), e.queued, taskFailed('task', 'user', 'cancelled', null), e.deleted])
      expect(rowsOf(openTasks, e.submitted, event)).toEqual([{ ...unstarted, unstarted_since: null }])
  })
})
