import { BaseSequencer } from 'vitest/node'

/** The projects of a group, in the order in which they start. The longest waits begin first. */
const PROJECTS = ['waits', 'browser', 'isolated']
const rankOf = ({ project }) => PROJECTS.indexOf(project.name) + 1 || PROJECTS.length + 1

/**
 * Starts slow projects first, so the run does not end with one worker busy on a slow file. The files of a project follow each
 * other, because a worker keeps its modules, browser and server only for the next file of the same project.
 */
export default class CostliestFirst extends BaseSequencer {
  async sort(files) {
    return (await super.sort(files)).toSorted((one, other) => rankOf(one) - rankOf(other))
  }
}
