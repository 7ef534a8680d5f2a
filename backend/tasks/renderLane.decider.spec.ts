import { describe, it } from 'vitest'
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
})
