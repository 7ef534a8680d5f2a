import { BaseSequencer } from 'vitest/node'

const COSTS = ['.e2e.spec.', '.int.spec.', '.spec.']
const costOf = ({ moduleId }) => COSTS.findIndex((suffix) => moduleId.includes(suffix))

/** Starts slow files first, so the run does not end with one worker busy on a slow file. */
export default class CostliestFirst extends BaseSequencer {
  async sort(files) {
    return (await super.sort(files)).toSorted((one, other) => costOf(one) - costOf(other))
  }
}
