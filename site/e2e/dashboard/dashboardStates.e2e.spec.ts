import { expect, it } from 'vitest'
import {
  apiKeys,
  backup,
  codes,
  hourly,
  live,
  logout,
  margin,
  operatorActions,
  overview,
  pageRanking,
  parkedEvents,
  replayParkedEvents,
  sources,
  taskHealth,
  undelivered,
  userList,
  userOverview,
  weekly,
} from '#backend/operators/contract.ts'
import { axeFaults } from '../testing/axeFaults.ts'
import { NOW, OVERVIEW, PEOPLE, usersOf } from '../testing/boardDouble.ts'
import { pass } from '../testing/heldClock.ts'
import { languagesInTurn } from '../testing/languagesInTurn.ts'
import { CORE, describeOnBoard } from '../testing/onBoard.ts'

describeOnBoard('the operator’s board, failing, empty or paged', (on) => {
  it.each(languagesInTurn())(
    'redirects to the login page on a 401, and reports other failures (%s)',
    async (language) => {
      const board = await on.open(language, (state) => {
        state.rare.set(overview.path, (route) => route.fulfill({ status: 500, json: {} }))
        state.rare.set(weekly.path, (route) => route.fulfill({ status: 401, json: {} }))
        state.rare.set(margin.path, (route) => route.abort())
      })
      const { page, state, t, prefix, number, figure, panel } = board
      const alert = page.getByRole('alert').filter({ hasText: t.failed })
      await alert.getByText(t.failed, { exact: true }).waitFor()
      expect(new URL(page.url()).pathname).toBe(`${prefix}/admin/dashboard`)
      // Sections that loaded are shown.
      await figure('totalUsers').getByText(number(PEOPLE.total_users)).waitFor()
      await panel(t.margin.heading).getByText(t.unread).waitFor()
      expect(await axeFaults(page)).toEqual([])

      state.rare.clear()
      await panel(t.margin.heading).getByRole('button', { name: t.reload }).click()
      await panel(t.margin.heading).getByText(number(96_500)).waitFor()
      let release = () => {}
      const held = new Promise<void>((resolve) => {
        release = resolve
      })
      state.rare.set(userOverview.path, async (route) => {
        await held
        await route.fulfill({ json: { success: true, data: { ...PEOPLE, total_users: 12_481 } } })
      })
      const before = state.calls.length
      await page.getByRole('button', { name: t.retry, exact: true }).click()
      const refresh = page.getByRole('button', { name: t.refresh, exact: true })
      await expect.poll(() => refresh.isDisabled()).toBe(true)
      await figure('pv').getByText(number(OVERVIEW.today.pv)).waitFor()
      await expect.poll(() => refresh.isDisabled()).toBe(true)
      await expect.poll(() => figure('totalUsers').textContent()).toContain(number(12_480))
      release()
      await figure('totalUsers').getByText(number(12_481)).waitFor()
      await expect.poll(() => refresh.isDisabled()).toBe(false)
      await expect.poll(() => alert.count()).toBe(0)
      expect(state.calls.slice(before).filter((path) => CORE.includes(path))).toEqual(CORE)

      // If everything fails, only the error is shown.
      for (const path of [overview, weekly, hourly, userOverview, userList].map((each) => each.path))
        state.rare.set(path, (route) => route.abort())
      await page.reload()
      await page.getByText(t.failed, { exact: true }).waitFor()
      await expect.poll(() => page.locator('.board-card').count()).toBe(0)
      expect(await axeFaults(page)).toEqual([])

      // After a failed sign-out the operator stays signed in, and the error is only logged.
      const logged: string[] = []
      page.on('console', (line) => line.type() === 'error' && logged.push(line.text()))
      const leave = page.getByRole('button', { name: t.logout, exact: true })
      state.rare.set(logout.path, (route) => route.fulfill({ status: 500, json: {} }))
      await leave.click()
      await expect.poll(() => logged.some((line) => line.includes('operator sign-out failed'))).toBe(true)
      state.rare.set(logout.path, (route) => route.fulfill({ json: { success: true, message: '' } }))
      await leave.click()
      await page.waitForURL(`${on.site.url}${prefix}/admin/dashboard/login`)

      state.rare.clear()
      await page.goto(`${on.site.url}${prefix}/admin/dashboard`)
      await figure('pv').getByText(number(OVERVIEW.today.pv)).waitFor()
      state.rare.set(overview.path, (route) => route.fulfill({ status: 401, json: {} }))
      await page.getByRole('button', { name: t.refresh, exact: true }).click()
      await page.waitForURL(`${on.site.url}${prefix}/admin/dashboard/login`)
      await page.context().close()
    },
  )

  it.each(languagesInTurn())(
    'shows a section only after a successful response, and marks empty ones (%s)',
    async (language) => {
      const empty = { users: [], pagination: { total: 0, page: 1, per_page: 10 } }
      const board = await on.open(language, (state) => {
        state.answers.set(overview.path, () => ({
          data: {
            ...OVERVIEW,
            today: { pv: 0, uv: 0, pages: 0, page_ranking: [] },
            yesterday: { pv: 0, uv: 0 },
            growth: { pv_growth: 0, uv_growth: 0 },
            recent_visits: [],
          },
        }))
        state.answers.set(userList.path, () => empty)
        state.answers.set(live.path, () => ({ data: { visitors: 0, pages: [] } }))
        state.answers.set(operatorActions.path, () => ({ actions: [], total: 0 }))
        state.answers.set(parkedEvents.path, () => ({ events: [], total: 0 }))
        state.answers.set(apiKeys.path, () => ({ keys: [], total: 0 }))
        state.answers.set(undelivered.path, () => ({ messages: [], total: 0 }))
        state.answers.set(codes.path, () => ({ codes: [], total: 0 }))
        state.answers.set(pageRanking.path, () => ({ data: { page_ranking: [] } }))
        state.answers.set(margin.path, () => ({
          data: {
            credits_sold: 0,
            credits_given: 0,
            credits_spent: 0,
            credits_outstanding: 0,
            revenue: [],
            provider_cost: null,
            margin: null,
            unpriced_clips: 0,
          },
        }))
        state.answers.set(taskHealth.path, () => ({
          data: {
            queue: { waiting: 0, processing: 0, oldest_waiting_seconds: null },
            ended: { succeeded: 0, failed: 0 },
            failures: [],
            latest_failures: [],
            stuck: [],
            alerts: [],
          },
        }))
      })
      const { page, state, t, figure, panel } = board
      for (const name of ['ranking', 'visits', 'users', 'live', 'actions', 'keys', 'codes', 'outbox', 'parked'])
        await panel(t[name].heading).getByText(t[name].empty).waitFor()
      for (const name of ['pv', 'uv']) await figure(name).getByText(t.figures.noneYesterday).waitFor()
      for (const text of [t.tasks.noStuck, t.tasks.noFailures, t.margin.noCost, t.margin.noMargin])
        await page.getByText(text).waitFor()
      expect(await axeFaults(page)).toEqual([])

      const refused = {
        success: false,
        data: { total_users: 666, daily_data: [], total_pv: 666, visitors: 666 },
        users: [],
        total: 666,
      }
      for (const path of [overview, weekly, hourly, userOverview, userList, live, margin].map((each) => each.path))
        state.rare.set(path, (route) => route.fulfill({ json: refused }))
      await page.getByRole('button', { name: t.refresh, exact: true }).click()
      for (const name of ['trend', 'hours', 'ranking', 'visits', 'users', 'live', 'margin'])
        await panel(t[name].heading).getByText(t.unfilled).waitFor()
      for (const name of ['pv', 'weekPv', 'totalUsers']) await figure(name).getByText(t.unfilled).waitFor()
      await expect.poll(() => page.getByText('666').count()).toBe(0)
      await expect.poll(() => page.getByText(t.failed, { exact: true }).count()).toBe(0)
      expect(await axeFaults(page)).toEqual([])
      await page.context().close()
    },
  )

  it.each(languagesInTurn())('pages the users, applies the period, and polls the visitors (%s)', async (language) => {
    const board = await on.open(language, (state) => state.answers.set(userList.path, (query) => usersOf(query, 10)))
    const { page, state, t, panel, rowsOf } = board
    await panel(t.users.heading).getByText('grace.hopper.10@kinora.test').waitFor()
    const footer = panel(t.users.heading).locator('.pagination')
    await expect.poll(() => footer.count()).toBe(0)
    state.answers.set(userList.path, (query) => usersOf(query, 134))
    await page.getByRole('button', { name: t.refresh, exact: true }).click()
    const shown = (start: number, end: number) =>
      Object.entries({ start, end, shown: 10, total: 134 }).reduce(
        (text, [name, value]) => text.replace(`{{${name}}}`, String(value)),
        t.users.shown as string,
      )
    await footer.getByText(shown(1, 10)).waitFor()
    await footer.getByRole('button', { name: '2', exact: false }).first().click()
    await footer.getByText(shown(11, 20)).waitFor()
    expect(state.calls.at(-1)).toBe(`${userList.path}?page=2&per_page=10`)

    const asked = async (choose: () => Promise<unknown>) => {
      const before = state.calls.length
      await choose()
      await expect.poll(() => state.calls.length - before).toBeGreaterThanOrEqual(5)
      return state.calls.slice(before).sort()
    }
    const radio = (name: string) => page.getByRole('radio', { name, exact: true })
    const preset = (days: number) => radio(t.period.days.replace('{{days}}', String(days)))
    const of = (query: string) =>
      [margin, pageRanking, sources, taskHealth, weekly].map(({ path }) => path + query).sort()
    await page.getByText(t.period.note, { exact: true }).waitFor()
    await expect
      .poll(() => page.getByRole('group', { name: t.period.label }).getAttribute('aria-describedby'))
      .toBe('period-note')
    await page.getByText(t.asTable).first().click()
    await expect.poll(() => rowsOf(t.trend.heading)).toHaveLength(8)
    expect(await asked(() => preset(30).check({ force: true }))).toEqual(of('?from=2026-10-23&to=2026-11-21'))
    // An opened table stays open.
    await expect.poll(async () => (await rowsOf(t.trend.heading)).length).toBe(31)
    await expect.poll(() => radio(t.ranking.period).isChecked()).toBe(true)
    await expect
      .poll(() => panel(t.trend.heading).getByRole('link').getAttribute('href'))
      .toContain('days.csv?from=2026-10-23')

    await radio(t.period.custom).check({ force: true })
    const days = (from: string, to: string) => async () => {
      await page.getByLabel(t.period.from, { exact: true }).fill(from)
      await page.getByLabel(t.period.to, { exact: true }).fill(to)
      await page.getByRole('button', { name: t.period.apply }).click()
    }
    for (const [from, to, fault] of [
      ['', '2026-11-20', 'incomplete'],
      ['2026-11-20', '2026-11-19', 'reversed'],
      ['2026-01-01', '2026-11-19', 'outside'],
    ] as const) {
      await days(from, to)()
      await page.getByText(t.period[fault].replace('{{days}}', '90')).waitFor()
    }
    expect(await axeFaults(page)).toEqual([])
    expect(await asked(days('2026-11-01', '2026-11-03'))).toEqual(of('?from=2026-11-01&to=2026-11-03'))
    await expect.poll(async () => (await rowsOf(t.trend.heading)).length).toBe(4)

    const looks = () => state.calls.filter((path) => path === live.path).length
    const before = looks()
    await pass(page, 12_000)
    expect(looks()).toBe(before + 1)
    state.answers.set(live.path, () => ({ data: { visitors: 41, pages: [] } }))
    await pass(page, 12_000)
    await panel(t.live.heading).getByText('41').waitFor()
    await page.context().close()
  })

  it.each(languagesInTurn())(
    'shows when a backup was last proven restorable, and why it is not (%s)',
    async (language) => {
      const { state, t, panel, page } = await on.open(language)
      const backups = panel(t.backup.heading)
      // 18:42 in Shanghai less 931 minutes.
      await backups.getByText(/03:11/).waitFor()
      await expect.poll(() => backups.getByRole('alert').count()).toBe(0)
      const data = { configured: true, has_phrase: true, proven_at: null, copy: null, failure: null, overdue: true }
      const reload = async (change: object) => {
        state.answers.set(backup.path, () => ({ data: { ...data, ...change } }))
        await page.getByRole('button', { name: t.refresh, exact: true }).click()
      }
      await reload({ failure: { at: new Date(NOW).toISOString(), reason: 'The bucket refused PUT: HTTP 403' } })
      await backups.getByText(t.backup.overdue).waitFor()
      await backups.getByText('HTTP 403').waitFor()
      await reload({ has_phrase: false })
      await backups.getByText('npm run -s recovery-phrase').waitFor()
      await reload({ configured: false })
      await backups.getByText(t.backup.off).waitFor()
      expect(await axeFaults(page)).toEqual([])
    },
  )

  it.each(languagesInTurn())(
    'ends a user’s API key after a question, and reports the result (%s)',
    async (language) => {
      const { page, state, t, panel } = await on.open(language)
      const keys = panel(t.keys.heading)
      await keys.getByText('Landing page batch').first().waitFor()
      const endFirst = async () => {
        await keys.getByRole('button', { name: /grace\.hopper\.1@/ }).click()
        expect(await axeFaults(page)).toEqual([])
        await page.getByRole('button', { name: t.keys.confirm, exact: true }).click()
      }
      state.rare.set('/analytics/keys/k1', (route) => route.fulfill({ status: 500, json: {} }))
      await endFirst()
      await keys.getByRole('status').getByText(t.keys.failed).waitFor()
      state.rare.set('/analytics/keys/k1', (route) => route.fulfill({ status: 204 }))
      state.answers.set(apiKeys.path, () => ({ keys: [], total: 0 }))
      await endFirst()
      const ended = t.keys.ended.replace('{{name}}', 'Landing page batch')
      await keys.getByRole('status').getByText(ended).waitFor()
      await keys.getByText(t.keys.empty).waitFor()
      await page.context().close()
    },
  )

  it.each(languagesInTurn())('replays parked events and reports the result (%s)', async (language) => {
    const { page, state, t, panel } = await on.open(language)
    const parked = panel(t.parked.heading)
    await parked.getByText('TypeError: Cannot read properties of undefined').waitFor()
    await parked.getByText(t.parked.follows).first().waitFor()
    expect(await axeFaults(page)).toEqual([])

    const replay = parked.getByRole('button', { name: t.parked.replay, exact: true })
    const status = parked.getByRole('status')
    state.rare.set(replayParkedEvents.path, (route) => route.abort())
    await replay.click()
    await status.getByText(t.parked.unsent).waitFor()
    state.rare.clear()
    state.answers.set(parkedEvents.path, () => ({ events: [], total: 0 }))
    await replay.click()
    const text = (key: string, count: number) =>
      (t.parked[count === 1 ? `${key}_one` : `${key}_other`] ?? t.parked[`${key}_other`]).replace(
        '{{count}}',
        `${count}`,
      )
    await status.getByText(`${text('replayed', 11)} ${text('failed', 1)}`).waitFor()
    await parked.getByText(t.parked.empty).waitFor()
    await expect.poll(() => replay.count()).toBe(0)
    await page.context().close()
  })
})
