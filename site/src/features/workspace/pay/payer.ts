import { atom, computed } from 'nanostores'
import { $credits } from '../../../api/credits.ts'

/** Prefix of the `localStorage` key of the team that pays. The user ID follows. */
const PREFIX = 'kinora.payer.'

interface Payer {
  /** Id of a team. */
  readonly id: string
  /** What the user may still spend of it; null until it is known. */
  readonly remaining: number | null
}

/** The team that pays for videos; null: the user does. See docs/decisions/0084-who-pays-is-chosen-beside-the-price.md. */
export const $payer = atom<Payer | null>(null)

/** The latest balance of a team that the server has sent. */
export const $teamBalance = atom<Readonly<{ id: string; remaining: number }> | null>(null)

/** The credits that pay. The plan of a team is a paid one, and its queue is known to the server alone. */
export const $purse = computed([$credits, $payer], (credits, payer) => {
  if (!payer) return credits
  return payer.remaining === null ? null : { remaining: payer.remaining, total: 0, tier: null }
})

/** Restores who paid before, until it is known that the user is in no team, and stores later choices. */
export function keepPayer(userId: string): void {
  const key = PREFIX + userId
  try {
    const id = localStorage.getItem(key)
    if (id) $payer.set({ id, remaining: null })
  } catch {
    // Storage is unavailable: the user pays at first.
  }
  $credits.subscribe((credits) => credits?.inTeam === false && $payer.set(null))
  $payer.listen((payer) => {
    try {
      if (payer) localStorage.setItem(key, payer.id)
      else localStorage.removeItem(key)
    } catch {
      // The choice holds for this page.
    }
  })
}
