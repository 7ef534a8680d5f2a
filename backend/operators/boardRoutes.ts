import type { DayRange } from '../kernel/days.ts'
import type { Serve } from '../kernel/http/endpoint.ts'
import { instant, instantOrNull } from '../kernel/http/instant.ts'
import * as contract from './contract.ts'
import { type BoardTime, daysOf } from './period.ts'
import type { Traffic } from './traffic.port.ts'

type Registered = Readonly<{ total: number; verified: number; today: number; yesterday: number }>
type User = Readonly<{ id: string; email: string; created_at: string | null; email_verified: boolean }>

/** User figures, read by the accounts context. */
interface Users {
  registrations(today: string, period: DayRange): Promise<Registered & { daily: { date: string; count: number }[] }>
  list(page: number, perPage: number): Promise<{ readonly users: readonly User[]; readonly total: number }>
}

/** Failed and throttled attempts, read by the accounts context. */
type Failures = (
  page: number,
  perPage: number,
) => Promise<{ readonly rows: readonly Failure[]; readonly total: number }>
type Failure = Readonly<{
  id: string
  at: Date
  event: string
  email: string | null
  browser: string | null
  system: string | null
  network: string | null
}>

type BoardRoutes = Readonly<{ traffic: Traffic; users: Users; failures: Failures; time: BoardTime }>

const NO_VISITS = { pv: 0, uv: 0, pages: 0 }
const HOURS = Array.from({ length: 24 }, (_, hour) => hour)

const oneDecimal = (value: number) => Math.round(value * 10) / 10
/** Returns the change in percent, to one decimal; 0 if the earlier value is 0. */
const growth = (now: number, before: number) => (before === 0 ? 0 : oneDecimal((100 * (now - before)) / before))

/** Wraps the data of a dashboard response. */
export const answer = <Data>(data: Data) => ({ success: true as const, data })

/** Serves the traffic and user figures of the dashboard. */
export function serveBoard(serve: Serve, { traffic, users, failures, time }: BoardRoutes): void {
  const { calendar, today } = time

  serve(contract.overview, async () => {
    const { today: counted, yesterday, ranking, recent } = await traffic.overview(today(), calendar())
    const [{ pv, uv, pages }, before] = [counted ?? NO_VISITS, yesterday ?? NO_VISITS]
    return answer({
      today: { pv, uv, pages, page_ranking: ranking },
      yesterday: { pv: before.pv, uv: before.uv },
      growth: { pv_growth: growth(pv, before.pv), uv_growth: growth(uv, before.uv) },
      recent_visits: recent.map((visit) => ({ ...visit, timestamp: instant(visit.timestamp) })),
      last_updated: new Date(calendar()).toISOString(),
      time_zone: time.timeZone,
    })
  })

  serve(contract.weekly, async ({ query }) => {
    const days = await traffic.days(daysOf(query, today()))
    return answer({ daily_data: days, total_pv: days.reduce((sum, { pv }) => sum + pv, 0) })
  })

  serve(contract.hourly, async () => {
    const hours = await traffic.hours(today())
    const counts = new Map(hours.map(({ hour, count }) => [hour, count]))
    return answer({ hourly_distribution: HOURS.map((hour) => ({ hour, count: counts.get(hour) ?? 0 })) })
  })

  serve(contract.pageRanking, async ({ query }) =>
    answer({ page_ranking: await traffic.pages(daysOf(query, today())) }),
  )

  serve(contract.sources, async ({ query }) => answer(await traffic.sources(daysOf(query, today()), time.timeZone)))

  serve(contract.live, async () => answer(await traffic.live(calendar())))

  serve(contract.userOverview, async ({ query }) => {
    const figures = await users.registrations(today(), daysOf(query, today()))
    return answer({
      total_users: figures.total,
      today_registrations: figures.today,
      yesterday_registrations: figures.yesterday,
      registration_growth: growth(figures.today, figures.yesterday),
      verified_users: figures.verified,
      verification_rate: figures.total === 0 ? 0 : oneDecimal((100 * figures.verified) / figures.total),
      daily_registrations: figures.daily,
    })
  })

  serve(contract.securityFailures, async ({ query }) => {
    const { rows, total } = await failures(query.page, query.per_page)
    return { success: true as const, failures: rows.map((row) => ({ ...row, at: row.at.toISOString() })), total }
  })

  serve(contract.userList, async ({ query }) => {
    const { users: listed, total } = await users.list(query.page, query.per_page)
    return {
      success: true as const,
      users: listed.map((user) => ({ ...user, created_at: instantOrNull(user.created_at) })),
      pagination: { total, page: query.page, per_page: query.per_page },
    }
  })
}
