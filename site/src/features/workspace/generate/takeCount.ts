/** How many videos one order makes, and how many the queue and the credits still allow. */
import { atom, computed } from 'nanostores'
import { openTaskLimit } from '#backend/subscriptions/contract.ts'
import { limitsOf } from '../../../api/credits.ts'
import { isFinal } from '../../../api/taskProgress.ts'
import { $cost, $prompts } from '../generation.ts'
import { $purse } from '../pay/payer.ts'
import { $counted, $estimates } from '../queue.ts'
import { $tasks } from '../tasks.ts'
import { allowedTakes } from './allowedTakes.ts'

/** Number of the user's unfinished tasks: never more than the server counts, whatever the page has missed. */
export const $open = computed([$tasks, $counted], ({ tasks }, counted) => {
  const shown = tasks.filter((task) => !isFinal(task)).length
  return Math.min(shown, counted ?? shown)
})

const $places = computed([$open, $purse], (open, purse) => {
  const plan = limitsOf(purse)
  return plan && Math.max(0, openTaskLimit(plan) - open)
})
export const $isFull = computed([$places, $prompts], (places, { length }) => (places ?? length) < length)

/** Estimated seconds until a place in the queue is free; null if unknown. */
export const $nextPlace = computed($estimates, (estimates) => {
  const left = [...estimates.values()].map(({ secondsLeft }) => secondsLeft)
  return left.length > 0 ? Math.min(...left) : null
})

export const $maxTakes = computed([$places, $purse, $cost, $prompts], (places, purse, cost, { length }) =>
  allowedTakes(places == null ? null : Math.floor(places / length), purse?.remaining ?? null, cost * length),
)

const $wanted = atom(1)
/** Number of takes that Generate makes. */
export const $count = computed([$wanted, $maxTakes], (wanted, max) => Math.min(wanted, max))
export const setCount = (count: number): void => $wanted.set(count)
