import type { Serve } from '../kernel/http/endpoint.ts'
import { instant, instantOrNull } from '../kernel/http/instant.ts'
import type { Board } from './board.ts'
import * as contract from './contract.ts'
import { daysOf } from './period.ts'
import type { UserFigures } from './userFigures.ts'

export interface BoardRoutes {
  readonly board: Board
  readonly userFigures: UserFigures
  /** The operator's day of an instant. */
  readonly dayOf: (at: number) => string
  readonly timeZone: string
  readonly now: () => number
}

const NOBODY = { pv: 0, uv: 0, pages: 0 }
const HOURS = Array.from({ length: 24 }, (_, hour) => hour)

const oneDecimal = (value: number) => Math.round(value * 10) / 10
/** Per cent against what was before, to one decimal. */
const growth = (now: number, before: number) => (before === 0 ? 0 : oneDecimal((100 * (now - before)) / before))

/** The board's calls. */
export function serveBoard(serve: Serve, { board, userFigures, dayOf, timeZone, now }: BoardRoutes): void {
  const today = () => dayOf(now())
  const answer = <Data>(data: Data) => ({ success: true as const, data })

  serve(contract.overview, async () => {
    const { today: counted, yesterday, ranking, recent } = await board.overview(today(), now())
    const [{ pv, uv, pages }, before] = [counted ?? NOBODY, yesterday ?? NOBODY]
    return answer({
      today: { pv, uv, pages, page_ranking: ranking },
      growth: { pv_growth: growth(pv, before.pv), uv_growth: growth(uv, before.uv) },
      recent_visits: recent.map((visit) => ({ ...visit, timestamp: instant(visit.timestamp) })),
      last_updated: new Date(now()).toISOString(),
      time_zone: timeZone,
    })
  })

  serve(contract.weekly, async ({ query }) => {
    const days = await board.days(daysOf(query, today()))
    return answer({
      daily_data: days.map(({ date, pv, uv }) => ({ date, pv, uv })),
      total_pv: days.reduce((sum, { pv }) => sum + pv, 0),
    })
  })

  serve(contract.hourly, async () => {
    const hours = await board.hours({ from: today(), to: today() })
    const counts = new Map(hours.map(({ hour, pv }) => [hour, pv]))
    return answer({ hourly_distribution: HOURS.map((hour) => ({ hour, count: counts.get(hour) ?? 0 })) })
  })

  serve(contract.pageRanking, async ({ query }) => answer({ page_ranking: await board.pages(daysOf(query, today())) }))

  serve(contract.live, async () => answer(await board.live(now())))

  serve(contract.userOverview, async ({ query }) => {
    const figures = await userFigures.overview(today(), daysOf(query, today()))
    return answer({
      total_users: figures.total,
      today_registrations: figures.today,
      registration_growth: growth(figures.today, figures.yesterday),
      verified_users: figures.verified,
      verification_rate: figures.total === 0 ? 0 : oneDecimal((100 * figures.verified) / figures.total),
      daily_registrations: figures.daily,
    })
  })

  serve(contract.userList, async ({ query }) => {
    const { users, total } = await userFigures.list(query.page, query.per_page)
    return {
      success: true as const,
      users: users.map((user) => ({ ...user, created_at: instantOrNull(user.created_at) })),
      pagination: { total, page: query.page, per_page: query.per_page },
    }
  })
}
