import { describe, expect, it } from 'vitest'
import { goldenSnapshot } from '../kernel/eventsourcing/testing/goldenSnapshot.ts'
import { specification } from '../kernel/eventsourcing/testing/specification.ts'
import type { RenderLaneEvent } from './events.ts'
import { type RenderLaneCommand, renderLane } from './renderLane.decider.ts'

const given = specification(renderLane)
const userId = 'user'
const at = '2026-01-01T00:00:00.000Z'

const asked = (taskId: string): RenderLaneEvent => ({ type: 'RenderSlotAsked', data: { userId, taskId, at } })
const claimed = (taskId: string): RenderLaneEvent => ({ type: 'RenderSlotClaimed', data: { userId, taskId, at } })
const released = (taskId: string): RenderLaneEvent => ({ type: 'RenderSlotReleased', data: { userId, taskId, at } })
const claim = (taskId: string, limit = 1): RenderLaneCommand => ({ type: 'ClaimSlot', userId, taskId, limit, at })
const ask = (taskId: string): RenderLaneCommand => ({ type: 'AskSlot', userId, taskId, at })
const release = (taskId: string): RenderLaneCommand => ({ type: 'ReleaseSlot', userId, taskId, at })

describe("a user's render lane", () => {
  it('grants a free slot to a request', () => {
    given().when(claim('a')).decides(asked('a'), claimed('a'))
  })
  it('queues the next request once', () => {
    given(asked('a'), claimed('a')).when(claim('b')).decides(asked('b'))
    given(asked('a'), claimed('a'), asked('b')).when(claim('b')).decidesNothing()
  })
  it('grants as many slots as the plan allows', () => {
    given(asked('a'), claimed('a')).when(claim('b', 2)).decides(asked('b'), claimed('b'))
    given(asked('a'), claimed('a'), asked('b'), claimed('b')).when(claim('c', 2)).decides(asked('c'))
  })
  it('grants slots in the order of requests', () => {
    const queue = [asked('a'), claimed('a'), asked('b'), asked('c'), released('a')]
    given(...queue)
      .when(claim('c'))
      .decidesNothing()
    given(...queue)
      .when(claim('b'))
      .decides(claimed('b'))
    given(...queue)
      .when(claim('d'))
      .decides(asked('d'))
    given(...queue)
      .when(claim('c', 2))
      .decides(claimed('c'))
  })
  it('grants slots in the order of submission, whichever task claims first', () => {
    given().when(ask('a')).decides(asked('a'))
    given(asked('a')).when(ask('a')).decidesNothing()
    given(asked('a'), asked('b')).when(claim('b')).decidesNothing()
    given(asked('a'), asked('b')).when(claim('a')).decides(claimed('a'))
  })
  it('ignores a late request of a task that claimed or released its slot', () => {
    given(asked('a'), claimed('a')).when(ask('a')).decidesNothing()
    given(asked('a'), claimed('a'), released('a')).when(ask('a')).decidesNothing()
  })
  it('grants no slot when more slots are taken than a lowered limit allows', () => {
    given(asked('a'), claimed('a'), asked('b'), claimed('b')).when(claim('c', 1)).decides(asked('c'))
  })
  it('grants the slot to the next request when a waiting task gives up', () => {
    given(asked('a'), claimed('a'), asked('b'), asked('c'), released('b'), released('a'))
      .when(claim('c'))
      .decides(claimed('c'))
  })
  it('releases a slot once', () => {
    given(asked('a'), claimed('a')).when(release('a')).decides(released('a'))
  })
  it('ignores requests of a task that was released before its first request', () => {
    given().when(release('a')).decides(released('a'))
    given(released('a')).when(claim('a')).decidesNothing()
  })
  it('grants no second slot to a task that has released its slot', () => {
    given(asked('a'), claimed('a'), released('a')).when(claim('a')).decidesNothing()
  })
  it('grants and releases the slot of a task that waited while thousands of newer ones ended', () => {
    const id = (n: number) => `00000000-0000-7000-8000-${String(n).padStart(12, '0')}`
    const newer = Array.from({ length: 2_048 }, (_, n) => released(id(n + 1)))
    given(asked(id(0)), ...newer)
      .when(claim(id(0)))
      .decides(claimed(id(0)))
    given(asked(id(0)), claimed(id(0)), ...newer)
      .when(release(id(0)))
      .decides(released(id(0)))
  })
})

describe('snapshots of render lanes', () => {
  it('have the state of version 1', () => {
    const task = '019b76da-a800-7000-8000-000000000001'
    const history = [asked(task), claimed(task), asked('b'), asked('c'), released('c'), released(task), claimed('b')]
    expect(goldenSnapshot(renderLane, history)).toEqual({
      version: 1,
      digest: '47f0a77778afbbd1a9d13e899e8dc05827db7517aa206c9a1de6532856ff2ec1',
    })
  })
  it('weighs more in memory with every id that it must remember', () => {
    const weightAfter = (count: number) => {
      const events = Array.from({ length: count }, (_, n) => released(`task ${n}`))
      return renderLane.weight!(events.reduce(renderLane.evolve, renderLane.initial))
    }
    expect(weightAfter(1_000)).toBeGreaterThan(weightAfter(10))
  })
})
