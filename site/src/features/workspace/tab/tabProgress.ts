import type { Task } from '#backend/tasks/contract.ts'
import { isFinal, percentOf } from '../../../api/taskProgress.ts'

/** Returns the percentage of the open task that is furthest; null without open tasks. */
export function tabProgress(tasks: readonly Pick<Task, 'status' | 'progress'>[]): number | null {
  const open = tasks.filter((task) => !isFinal(task))
  return open.length > 0 ? Math.max(...open.map(percentOf)) : null
}

/** Returns the title of the tab. @example tabTitle('Workspace', 42) // '42% · Workspace' */
export const tabTitle = (title: string, percent: number | null): string =>
  percent === null ? title : `${percent}% · ${title}`

/** Circumference of the ring, so that a dash of its length covers one percent per hundredth. */
const RADIUS = 12
const ROUND = 2 * Math.PI * RADIUS

/** Returns the address of an icon with a ring that is filled as far as the task. */
export function tabIcon(percent: number): string {
  const ring = (colour: string, length: number) =>
    `<circle cx="16" cy="16" r="${RADIUS}" fill="none" stroke="${colour}" stroke-width="7" ` +
    `stroke-dasharray="${length.toFixed(1)} 99" transform="rotate(-90 16 16)"/>`
  const rings = ring('#5b4a40', ROUND) + ring('#ff7a1a', (ROUND * percent) / 100)
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32">${rings}</svg>`
  return `data:image/svg+xml,${encodeURIComponent(svg)}`
}
