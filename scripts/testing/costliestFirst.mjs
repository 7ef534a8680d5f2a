import { BaseSequencer } from 'vitest/node'

/** The projects in the order in which they start. The longest waits begin first, and the shortest files end the run. */
const PROJECTS = ['waits', 'isolated', 'browser', 'stories', 'services', 'pure']
const rankOf = ({ project }) => PROJECTS.indexOf(project.name) + 1

/** Files that take more than ten seconds. Vitest knows durations only after the first run. */
const SLOW = [
  'attack',
  'backups',
  'buying',
  'callbacks',
  'failedProof',
  'generatePath',
  'hostileUploads',
  'minimax',
  'mutants',
  'normaliseInChild',
  'oauth',
  'recovery',
  'renderJob',
  'server',
  'shares',
  'simulation',
  'sound',
  'supervise',
  'upgrade',
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
