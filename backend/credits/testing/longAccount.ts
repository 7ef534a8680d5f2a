import { uuid7 } from '../../kernel/eventsourcing/uuid7.ts'
import type { CreditAccountEvent } from '../events.ts'

const START = Date.UTC(2026, 0, 1)
const MINUTE_MS = 60_000

/**
 * Yields the events of an account that generates one video a minute: a grant every 100 videos, and for each video a
 * hold that is captured or, every fourth time, released. The last video's hold stays open.
 */
export function* longAccount(userId: string, count: number): Generator<CreditAccountEvent> {
  const expiresAt = null
  for (let video = 0, made = 0; ; video++) {
    const time = START + video * MINUTE_MS
    const at = new Date(time).toISOString()
    const lotId = `sale-${Math.floor(video / 100)}`
    if (video % 100 === 0) {
      yield { type: 'CreditLotGranted', data: { userId, lotId, source: 'payment', amount: 3_000, expiresAt, at } }
      made++
    }
    const holdId = uuid7(time)
    const parts = [{ lotId, amount: 30 }]
    yield { type: 'CreditsHeld', data: { userId, holdId, parts, at } }
    if (++made >= count) return
    const released = { userId, holdId, reason: 'not delivered', parts, renewed: null, at }
    if (video % 4 === 3) yield { type: 'CreditsReleased', data: released }
    else yield { type: 'CreditsCaptured', data: { userId, holdId, at } }
    made++
  }
}
