import type { MinimaxDouble } from '#backend/providers/video/minimax/testing/minimaxDouble.ts'
import { quantile } from '../analytics/quantile.ts'
import type { Video } from './creator.ts'

const known = (times: readonly (number | undefined)[]) => times.filter((time) => time !== undefined)

/** Quantiles of durations, ms. */
export interface Times {
  readonly p50: number
  readonly p99: number
}

function print(what: string, times: readonly number[]): Times {
  const [p50, p99] = [quantile(times, 0.5), quantile(times, 0.99)]
  console.log(`${what}: p50 ${Math.round(p50)} ms, p99 ${Math.round(p99)} ms (${times.length})`)
  return { p50, p99 }
}

/** Prints and returns how long the steps of the videos took. A render ends when the double says so. */
export function printTimes(videos: ReadonlyMap<string, Video>, double: Pick<MinimaxDouble, 'jobs'>) {
  const finished = new Map([...double.jobs.values()].map(({ body, finishAt }) => [taskOf(body), finishAt]))
  const all = [...videos]
  const generate = print('generate', known(all.map(([, { clicked, answered }]) => answered && answered - clicked)))
  const row = print('click to row', known(all.map(([, { clicked, shown }]) => shown && shown - clicked)))
  const done = all.filter(([, { ended }]) => ended?.status === 'Success')
  const shown = print(
    'finished to browser',
    known(done.map(([id, { ended }]) => (finished.has(id) ? ended!.at - finished.get(id)! : undefined))),
  )
  return { generate, row, shown }
}

/** Returns the task of a job, from the address of its callbacks. */
const taskOf = ({ callback_url: url }: { callback_url?: string | undefined }) =>
  /([\w-]+)\.[\w-]+$/.exec(url ?? '')?.[1] ?? ''
