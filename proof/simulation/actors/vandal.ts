import { CREDIT_ACCOUNT } from '#backend/credits/events.ts'
import { VIDEO_TASK } from '#backend/tasks/events.ts'
import type { World } from '../world.ts'

const NOW = '2026-01-31T12:00:00.000Z'

export const POISONS = ['row', 'data', 'value', 'type'] as const
export type Poison = (typeof POISONS)[number]

/** Appends an event that no read model can contain: its row has no valid id, its data are not
 * what they should be, the database refuses a value, or no context declares its type. */
export function poison(world: World, kind: Poison): void {
  const { random } = world.scheduler
  const userId = random.uuid()
  const event = (type: string, data: object) => ({ id: random.uuid(), type, data: { userId, at: NOW, ...data } })
  const stream = kind === 'row' ? `${VIDEO_TASK}-${userId}` : `${CREDIT_ACCOUNT}-${userId}`
  world.poisoned.add(stream)
  if (kind === 'row') world.store.write(stream, [event('VideoTaskQueued', { taskId: 'no uuid' })])
  else if (kind === 'type') world.store.write(stream, [event('CreditsTeleported', {})])
  else {
    const lot = { lotId: 'lot', source: 'free', amount: kind === 'value' ? 0.5 : 60, expiresAt: null }
    world.store.write(stream, [event('CreditLotGranted', lot), event('CreditsHeld', { holdId: random.uuid() })])
  }
}

/** Raises a grant, or removes a hold, of an account with later events. */
export function tamper(world: World, userId: string, kind: 'edit' | 'cut'): void {
  const stream = `${CREDIT_ACCOUNT}-${userId}`
  const events = world.store.stream(stream)
  const wanted = kind === 'edit' ? 'CreditLotGranted' : 'CreditsHeld'
  const found = events.slice(0, -1).find(({ type }) => type === wanted)
  if (!found) return
  world.quarantined.add(userId)
  if (kind === 'cut') world.store.cut(stream, found.revision)
  else world.store.edit(stream, found.revision, { ...found.data, amount: 60_000 })
}
