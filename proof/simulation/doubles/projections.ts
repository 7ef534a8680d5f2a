import type { AnyProjection } from '#projections/engine/projection.ts'
import type { Random } from '../time/random.ts'

// The query makes it another module than the one that this file stands in for.
const { PROJECTIONS: all } = (await import(new URL('../../../projections/all.ts?all', import.meta.url).href)) as {
  PROJECTIONS: readonly AnyProjection[]
}

/** Read models that only reports use. */
const REPORTS = ['creditEntries', 'chainHeads', 'taskOutcomes', 'creditFlows', 'creditCodes', 'deskCases']

/** Stands in for the list in `projections/all.ts`: the read models of the current history. */
export const PROJECTIONS: AnyProjection[] = [...all]

/** Chooses read models for a history: all that the product decides by, and some of those that are only reports. */
export function chooseProjections(random: Random): readonly AnyProjection[] {
  const chosen = all.filter(({ name }) => !REPORTS.includes(name) || random.chance(0.25))
  PROJECTIONS.splice(0, PROJECTIONS.length, ...chosen)
  return chosen
}
