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
  it('gives a free slot to who asks', () => {
    given().when(claim('a')).decides(asked('a'), claimed('a'))
  })
  it('lets the next one wait, and remembers its place once', () => {
    given(asked('a'), claimed('a')).when(claim('b')).decides(asked('b'))
    given(asked('a'), claimed('a'), asked('b')).when(claim('b')).decidesNothing()
  })
  it('makes as many at once as the plan allows', () => {
    given(asked('a'), claimed('a')).when(claim('b', 2)).decides(asked('b'), claimed('b'))
    given(asked('a'), claimed('a'), asked('b'), claimed('b')).when(claim('c', 2)).decides(asked('c'))
  })
  it('keeps the order in which they asked', () => {
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
  it('lets nobody overtake by a lower limit than holds are out', () => {
    given(asked('a'), claimed('a'), asked('b'), claimed('b')).when(claim('c', 1)).decides(asked('c'))
  })
  it('passes the place on when one that waited gives up', () => {
    given(asked('a'), claimed('a'), asked('b'), asked('c'), released('b'), released('a'))
      .when(claim('c'))
      .decides(claimed('c'))
  })
  it('releases a slot once', () => {
    given(asked('a'), claimed('a')).when(release('a')).decides(released('a'))
  })
  it('releases one that never asked, so that it cannot ask later', () => {
    given().when(release('a')).decides(released('a'))
    given(released('a')).when(claim('a')).decidesNothing()
  })
  it('does not give a slot to a task that has released it', () => {
    given(asked('a'), claimed('a'), released('a')).when(claim('a')).decidesNothing()
  })
})
