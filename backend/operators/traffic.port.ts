import type * as z from 'zod/mini'
import type { DayRange } from '../kernel/days.ts'
import type { Hourly, Live, Overview, Weekly } from './contract.ts'

type OverviewAnswer = z.infer<typeof Overview>
type Visited = OverviewAnswer['today']['page_ranking'][number]
type Recent = OverviewAnswer['recent_visits']
type Counts = Omit<OverviewAnswer['today'], 'page_ranking'>

/** The counts are null for a day without visits. Timestamps are as Postgres writes them. */
type TrafficOverview = Record<'today' | 'yesterday', Counts | null> & { ranking: Visited[]; recent: Recent }

/** Traffic figures of the board. Days are dates of the operator's time zone; `at` is the current time in epoch milliseconds. */
export interface Traffic {
  overview(today: string, at: number): Promise<TrafficOverview>
  /** Returns an entry for every day of the period. */
  days(period: DayRange): Promise<z.infer<typeof Weekly>['daily_data']>
  /** Returns the hours that have visits. An hour that a clock change repeats holds both passes. */
  hours(day: string): Promise<z.infer<typeof Hourly>['hourly_distribution']>
  /** Returns the most visited pages, at most a hundred. */
  pages(period: DayRange): Promise<Visited[]>
  live(at: number): Promise<z.infer<typeof Live>>
}
