import type pg from 'pg'
import type { Logger } from 'pino'
import { localDayOf } from '../kernel/days.ts'
import type { Serve } from '../kernel/http/endpoint.ts'
import { createPageViews } from './pageViews.ts'
import { type AnalyticsRoutes, serveAnalytics } from './routes.ts'
import { createVisitCounter } from './visitCounter.ts'
import { createVisitors } from './visitors.ts'

interface AnalyticsApiDeps extends Pick<AnalyticsRoutes, 'authenticate' | 'calendar'> {
  readonly pool: pg.Pool
  readonly log: Logger
  readonly timeZone: string
}

/** Creates the call that counts visits. */
export function createAnalyticsApi({ pool, log, timeZone, ...deps }: AnalyticsApiDeps) {
  const visitCounter = createVisitCounter(pool, log)
  const pageViews = createPageViews(pool, log, visitCounter.wake)
  const visitors = createVisitors(pool, localDayOf(timeZone))
  return {
    serve: (serve: Serve) => serveAnalytics(serve, { ...deps, pageViews, visitors }),
    /** Writes and counts the visits that wait. */
    async settle() {
      await pageViews.flush()
      await visitCounter.close()
    },
  }
}
