import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { eventually } from '#backend/testing/eventually.ts'
import { recountRegistrations } from '../accounts/readUsers.ts'
import { addDays, localDayOf } from '../kernel/days.ts'
import { FULL } from '../testing/fullRun.ts'
import { seeded } from '../testing/seeded.ts'
import { startTemporaryDatabase, type TemporaryDatabase } from '../testing/temporaryDatabase.ts'
import { countVisits, recountVisits } from './countVisits.ts'
import { createPageViews, type StoredPageView } from './pageViews.ts'
import { createTraffic } from './traffic.ts'
import { createVisitCounter } from './visitCounter.ts'

let db: TemporaryDatabase
beforeAll(async () => {
  db = await startTemporaryDatabase()
})
afterAll(() => db?.close())

const uuid = (n: number) => `00000000-0000-4000-8000-${String(n).padStart(12, '0')}`

/** Visits at these instants to few pages by few people, some of them by bots or `page_unload` events. */
function visitsAt(instants: readonly number[], seed: number): StoredPageView[] {
  const next = seeded(seed)
  return instants.map((at) => ({
    at: new Date(at).toISOString(),
    event_type: next() < 0.3 ? 'page_unload' : 'page_view',
    path: `/page-${Math.floor(30 * next() ** 3)}`,
    status_code: 200,
    bot: next() < 0.1,
    visitor: uuid(Math.floor(next() * 40)),
    session_id: null,
    user_id: null,
    referrer: null,
    user_agent: null,
    ip: null,
  }))
}

/** The writer and counter of one process. */
function startWriter() {
  const log = { warn: vi.fn() }
  const counter = createVisitCounter(db.pool, log)
  return { log, counter, writer: createPageViews(db.pool, log, counter.wake) }
}

async function write(views: readonly StoredPageView[]) {
  const { counter, writer } = startWriter()
  for (let first = 0; first < views.length; first += 4_000)
    await Promise.all(views.slice(first, first + 4_000).map((view) => writer.record(view)))
  await counter.close()
}

const rowsOf = async (text: string, values: unknown[] = []) =>
  (await db.pool.query<unknown[]>({ text, values, rowMode: 'array' })).rows

const counts = async () => ({
  days: await rowsOf('select day::text, pv, uv, pages from traffic_day order by day'),
  hours: await rowsOf('select day::text, hour, pv from traffic_hour order by day, hour'),
  pages: await rowsOf('select day::text, path, pv from traffic_page order by day, path'),
})

/** The same counts by plain SQL over the rows, in a time zone. */
const countRows = async (zone: string) => {
  const seen = `(select *, (at at time zone $1)::date as day, extract(hour from at at time zone $1)::int as hour
    from page_view where event_type = 'page_view' and not bot) v`
  return {
    days: await rowsOf(
      `select day::text, count(*)::int, count(distinct visitor)::int, count(distinct path)::int from ${seen}
       group by day order by day`,
      [zone],
    ),
    hours: await rowsOf(`select day::text, hour, count(*)::int from ${seen} group by day, hour order by day, hour`, [
      zone,
    ]),
    pages: await rowsOf(`select day::text, path, count(*)::int from ${seen} group by day, path order by day, path`, [
      zone,
    ]),
  }
}

const reset = async (zone: string) => {
  await db.pool.query('truncate page_view')
  await recountVisits(db.pool, zone, recountRegistrations)
}

/** Local days with a clock change or the end of a month, and their length in hours. */
const NIGHTS = [
  ['Europe/Berlin', '2026-10-25', 25],
  ['Europe/Berlin', '2026-03-29', 23],
  ['America/New_York', '2026-11-01', 25],
  ['America/New_York', '2026-03-08', 23],
  ['Australia/Lord_Howe', '2026-04-05', 24.5],
  ['Australia/Lord_Howe', '2026-10-04', 23.5],
  ['Asia/Kathmandu', '2026-02-28', 24],
  ['UTC', '2026-12-31', 24],
] as const

describe('counting visits', () => {
  it.each(NIGHTS)('counts each visit once in %s on %s, a day of %d hours', async (zone, day, hours) => {
    await reset(zone)
    const dayOf = localDayOf(zone)
    const hourOf = new Intl.DateTimeFormat('en', { timeZone: zone, hour: 'numeric', hourCycle: 'h23' })
    // Every five minutes from the previous noon to the next, and one millisecond around each midnight.
    const noon = Date.parse(`${addDays(day, -1)}T12:00:00Z`)
    const instants = Array.from({ length: 3 * 288 }, (_, n) => noon + n * 300_000)
    const midnight = instants.find((at) => dayOf(at) === day)!
    for (const edge of [midnight, midnight + hours * 3_600_000]) instants.push(edge - 1, edge)
    const visits = visitsAt(instants, 1).map((view) => ({ ...view, event_type: 'page_view' as const, bot: false }))
    await write(visits)

    const found = await counts()
    expect(found).toEqual(await countRows(zone))
    // Compare with a calendar that is independent of the database.
    const days = new Map<string, number>()
    const hoursOfDay = new Map<number, number>()
    for (const at of instants) {
      days.set(dayOf(at), (days.get(dayOf(at)) ?? 0) + 1)
      const hour = Number(hourOf.format(at))
      if (dayOf(at) === day) hoursOfDay.set(hour, (hoursOfDay.get(hour) ?? 0) + 1)
    }
    expect(found.days.map(([date, pv]) => [date, pv])).toEqual([...days].sort())
    expect(found.days.reduce((sum, [, pv]) => sum + Number(pv), 0)).toBe(instants.length)
    expect(days.get(day)).toBe(hours * 12 + 2)
    const shown = await createTraffic(db.pool).hours(day)
    expect(new Map(shown.map(({ hour, count }) => [hour, count]))).toEqual(
      new Map([...hoursOfDay].sort(([a], [b]) => a - b)),
    )
  })

  it('gives the same counts per day, hour and page as plain SQL over the rows', async () => {
    await reset('Europe/Berlin')
    const next = seeded(7)
    const start = Date.parse('2026-03-01T00:00:00Z')
    // Ordered by arrival; some visits share an instant.
    const instants = Array.from(
      { length: FULL ? 1_000_000 : 6_000 },
      () => start + Math.floor(next() * 90 * 86_400_000),
    )
    const visits = visitsAt(
      instants.sort((a, b) => a - b),
      2,
    )
    await write(visits)
    const counted = await counts()
    expect(counted).toEqual(await countRows('Europe/Berlin'))
    expect(counted.days).toHaveLength(91)
    await recountVisits(db.pool, 'Europe/Berlin', recountRegistrations)
    expect(await counts()).toEqual(counted)
    // Change the time zone, then keep counting.
    await recountVisits(db.pool, 'Asia/Kolkata', recountRegistrations)
    await write(
      visitsAt(
        Array.from({ length: 500 }, (_, n) => instants.at(-1)! + n * 60_000),
        3,
      ),
    )
    expect(await counts()).toEqual(await countRows('Asia/Kolkata'))
  }, 600_000)

  it('counts each visit once when several processes count at the same time', async () => {
    await reset('UTC')
    const now = Date.parse('2026-06-01T12:00:00Z')
    const visits = (seed: number) =>
      visitsAt(
        Array.from({ length: 1_500 }, (_, n) => now + n),
        seed,
      )
    await Promise.all([write(visits(1)), write(visits(2)), write(visits(3))])
    expect(await counts()).toEqual(await countRows('UTC'))
    expect(await rowsOf('select count(*)::int from page_view')).toEqual([[4_500]])
  })

  it('counts each visit once when the time zone changes while visits arrive', async () => {
    await reset('UTC')
    const now = Date.parse('2026-06-01T23:00:00Z')
    const { counter, writer } = startWriter()
    let isChanging = true
    const writing = (async () => {
      for (let set = 0; isChanging; set++) {
        const instants = Array.from({ length: 20 }, (_, n) => now + (set * 20 + n) * 2_000)
        await Promise.all(visitsAt(instants, set).map((view) => writer.record(view)))
      }
    })()
    const zones = ['Asia/Tokyo', 'America/New_York', 'UTC', 'Europe/Berlin']
    for (let change = 0; change < 12; change++) await recountVisits(db.pool, zones[change % 4]!, recountRegistrations)
    isChanging = false
    await writing
    await counter.close()
    expect(await counts()).toEqual(await countRows('Europe/Berlin'))
  })

  it('counts visits later if counting fails, without delaying responses', async () => {
    await reset('UTC')
    const now = Date.parse('2026-06-01T12:00:00Z')
    const visits = (count: number) => visitsAt(Array(count).fill(now), 5)
    await db.pool.query('alter table traffic_hour rename to away')
    await write(visits(50))
    expect(await rowsOf('select count(*)::int from page_view')).toEqual([[50]])
    await db.pool.query('alter table away rename to traffic_hour')
    expect((await counts()).days).toEqual([])
    // The next start does this.
    await countVisits(db.pool, 'UTC', recountRegistrations)
    expect((await counts()).hours).not.toEqual([])
    expect(await counts()).toEqual(await countRows('UTC'))

    const { log, counter, writer } = startWriter()
    await db.pool.query('alter table traffic_hour rename to away')
    await Promise.all(visits(50).map((view) => writer.record(view)))
    await expect.poll(() => log.warn).toHaveBeenCalled()
    await db.pool.query('alter table away rename to traffic_hour')
    await eventually(async () => expect(await counts()).toEqual(await countRows('UTC')))
    await counter.close()
  })
})
