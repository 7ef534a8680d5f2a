import { describe, expect, it } from 'vitest'
import { rowsOf } from '../testing/rowsOf.ts'
import { taskEvents } from '../testing/taskEvents.ts'
import { openTasks } from './openTask.ts'

const e = taskEvents('task', 'user')
const slot = (type: string) => ({ type, data: { userId: 'user', taskId: 'task', at: '2026-01-01T00:00:00.000Z' } })

describe('an open task', () => {
  it('is open from its submission until its slot is released, whatever its outcome', () => {
    const open = [{ id: 'task', user_id: 'user', priority: 4 }]
    expect(rowsOf(openTasks, e.submitted)).toEqual(open)
    const more = [e.submitted, slot('RenderSlotAsked'), slot('RenderSlotClaimed'), e.started, e.succeeded, e.deleted]
    expect(rowsOf(openTasks, ...more)).toEqual(open)
    expect(rowsOf(openTasks, ...more, slot('RenderSlotReleased'))).toEqual([])
  })
})
