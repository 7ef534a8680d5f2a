/** The take on the stage, and the order of all takes. */
import { computed } from 'nanostores'
import { $estimates } from '../queue.ts'
import { $tasks } from '../tasks.ts'
import { $chosen, showTake } from './chosenTake.ts'
import { inQueueOrder } from './queueOrder.ts'

export { showTake }

export const $takes = computed([$tasks, $estimates], ({ tasks }, estimates) => inQueueOrder(tasks, estimates))

/** The take on the stage: the chosen one, or the first. */
export const $current = computed(
  [$takes, $chosen],
  (takes, chosen) => takes.find(({ id }) => id === chosen) ?? takes[0] ?? null,
)

// A take stays on the stage when the order changes, for instance because its video is finished. So does the one that
// replaces a deleted take.
$current.listen((take) => {
  if (take && $chosen.get() !== take.id) $chosen.set(take.id)
})

/** Moves to the previous (-1) or the next (1) take, without wrapping. */
export function stepTake(by: -1 | 1): void {
  const takes = $takes.get()
  const at = takes.findIndex(({ id }) => id === $current.get()?.id)
  const next = takes[at + by]
  if (next) showTake(next.id)
}
