import type * as z from 'zod/mini'
import type { DayRange } from '../kernel/days.ts'
import type { Hourly, Live, Overview, Sources, Weekly } from './contract.ts'

type OverviewAnswer = z.infer<typeof Overview>
type Visited = OverviewAnswer['today']['page_ranking'][number]
type Recent = OverviewAnswer['recent_visits']
type Counts = Omit<OverviewAnswer['today'], 'page_ranking'>

/** Counts are null for a day without visits. Timestamps have the format of Postgres's `to_json`. */
type TrafficOverview = Record<'today' | 'yesterday', Counts | null> & { ranking: Visited[]; recent: Recent }

/**
 * Dashboard traffic figures. Days are dates in the operator's time zone; `at` is the current time in epoch
 * milliseconds.
 */
export interface Traffic {
  overview(today: string, at: number): Promise<TrafficOverview>
  /** Returns an entry for every day of the period. */
  days(period: DayRange): Promise<z.infer<typeof Weekly>['daily_data']>
  /** Returns the hours with visits. An hour that repeats when the clocks go back includes both occurrences. */
  hours(day: string): Promise<z.infer<typeof Hourly>['hourly_distribution']>
  /** Returns the most visited pages, at most a hundred. */
  pages(period: DayRange): Promise<Visited[]>
  /** Returns where visitors came from, other than pages of the installation. */
  sources(period: DayRange, timeZone: string): Promise<z.infer<typeof Sources>>
  live(at: number): Promise<z.infer<typeof Live>>
}
