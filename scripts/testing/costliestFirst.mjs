import { BaseSequencer } from 'vitest/node'

/** The projects of a group, in the order in which they start. The longest waits begin first. */
const PROJECTS = ['waits', 'isolated', 'browser']
const rankOf = ({ project }) => PROJECTS.indexOf(project.name) + 1 || PROJECTS.length + 1

/** Files that take more than ten seconds, in the groups' last projects. Vitest knows durations only after the first run. */
const SLOW = [
  'backups',
  'hostileUploads',
  'recovery',
  'postgresEventStore',
  'attack',
  'killed',
  'heads',
  'simulation',
  'upgrade',
  'normaliseInChild',
  'mutants',
]
const slow = new RegExp(String.raw`/(?:${SLOW.join('|')})(?:\.int)?\.spec\.ts$`)

/**
 * Starts slow projects and files first, so the run does not end with one worker busy on a slow file. The files of a project
 * follow each other, because a worker keeps its modules, browser and server only for the next file of the same project.
 */
export default class CostliestFirst extends BaseSequencer {
  async sort(files) {
    const costOf = (file) => 2 * rankOf(file) - Number(slow.test(file.moduleId))
    return (await super.sort(files)).toSorted((one, other) => costOf(one) - costOf(other))
  }
}
