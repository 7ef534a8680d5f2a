import { runHistory } from './history.ts'
import type { Plan } from './plan.ts'

/** Leaves only some of a plan's actions, by index. */
export const withActions = (plan: Plan, indexes: readonly number[]): Plan => ({
  ...plan,
  actions: indexes.map((index) => plan.actions[index]!),
})

/** Returns the indexes of as few actions as break the same invariant. */
export async function shorten(plan: Plan, invariant: string): Promise<readonly number[]> {
  let kept = plan.actions.map((_, index) => index)
  for (let size = kept.length >> 1; size > 0; size >>= 1)
    for (let first = kept.length - size; first >= 0; first -= size) {
      const fewer = kept.toSpliced(first, size)
      const { violation } = await runHistory(withActions(plan, fewer))
      if (violation?.invariant === invariant) kept = fewer
    }
  return kept
}
