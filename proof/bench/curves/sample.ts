import type { Curve, Point } from './growth.ts'

/** A point of the curve with this id. */
export interface Sample extends Point {
  readonly id: string
}

const curve = (id: string, question: string, axis: Curve['axis'], limit: Curve['limit']) => ({
  id,
  question,
  axis,
  limit,
})

/** Curves in the order of the table. */
const CURVES: readonly Omit<Curve, 'points'>[] = [
  curve('append', 'appending one event', 'events', 'flat'),
  curve('read_account', 'reading the stream of one account', 'events', 'flat'),
  curve('audit', 'verifying the ledger', 'events', 'linear'),
  curve('catch_up', 'all read models catching up', 'events', 'linear'),
  curve('works', 'a page of works', 'users', 'flat'),
  curve('history', 'a page of history', 'users', 'flat'),
  curve('stats', 'stats', 'users', 'flat'),
  curve('own_history', 'a page of history of one user', 'entries', 'flat'),
  curve('board', "the operator's board", 'views', 'flat'),
  curve('pages', 'the most viewed pages of 90 days', 'views', 'linear'),
  curve('ingest', 'taking in and counting one view', 'views', 'flat'),
]

/** Returns the curves of the samples. A curve without two sizes is left out. */
export const curvesOf = (samples: readonly Sample[]): Curve[] =>
  CURVES.flatMap((each) => {
    const points = samples
      .filter(({ id }) => id === each.id)
      .map(({ size, wall_ms, cpu_ms }) => ({ size, wall_ms, cpu_ms }))
      .sort((a, b) => a.size - b.size)
    return points.length > 1 ? [{ ...each, points }] : []
  })
