import { readFile } from 'node:fs/promises'
import { expect, it } from 'vitest'
import { weekly } from '#backend/operators/contract.ts'
import { sampled } from '#backend/testing/sampled.ts'
import { axeFaults } from '../testing/axeFaults.ts'
import { HOURS, PATHS, WEEK } from '../testing/boardDouble.ts'
import { languagesInTurn } from '../testing/languagesInTurn.ts'
import { observeShifts, shiftFaults } from '../testing/layoutShift.ts'
import { CORE, describeOnBoard, type OpenBoard } from '../testing/onBoard.ts'
import { describeOnSite, OPERATOR } from '../testing/onSite.ts'
import { words } from '../testing/walkJourney.ts'

/** Checks the key figures: name, value, and change with sign, arrow and colour. */
async function readsCards({ t, number, figure }: OpenBoard): Promise<void> {
  await figure('pv').getByText(number(44_452)).waitFor()
  const verified = t.figures.verified.replace('{{number}}', number(10_421))
  const cards = [
    ['pv', number(44_452), '+12.5%', 'up'],
    ['uv', number(10_318), '-3.2%', 'down'],
    ['pages', '164', t.figures.differentPaths, undefined],
    ['weekPv', number(232_247), '', undefined],
    ['totalUsers', number(12_480), '', undefined],
    ['registrations', '96', '+0.0%', 'flat'],
    ['verification', '83.5%', verified, undefined],
    ['weekRegistrations', '628', '', undefined],
  ] as const
  for (const [name, value, more, trend] of cards) {
    const tree = await figure(name).ariaSnapshot()
    for (const text of [t.figures[name], value, more]) expect(tree).toContain(text)
    const growth = figure(name).locator('[data-trend]')
    expect(trend && (await growth.getAttribute('data-trend'))).toBe(trend)
    await expect.poll(() => growth.locator('svg').count()).toBe(trend === 'up' || trend === 'down' ? 1 : 0)
  }
}

const dayText = ({ language }: OpenBoard, date: string) =>
  new Intl.DateTimeFormat(language === 'zh' ? 'zh-CN' : 'en', {
    month: 'short',
    day: 'numeric',
    timeZone: 'UTC',
  }).format(Date.parse(date))

/** Checks that the chart tables show the responses row by row. */
async function readsTablesBehindCharts(board: OpenBoard): Promise<void> {
  const { page, t, number, rowsOf } = board
  for (const summary of await page.getByText(t.asTable).all()) await summary.click()
  await expect
    .poll(() => rowsOf(t.trend.heading))
    .toEqual([
      `${t.trend.date} ${t.trend.pv} ${t.trend.uv}`,
      ...WEEK.map(({ date, pv, uv }) => `${dayText(board, date)} ${number(pv)} ${number(uv)}`),
    ])
  await expect
    .poll(() => rowsOf(t.hours.heading))
    .toEqual([
      `${t.hours.hour} ${t.hours.count}`,
      ...HOURS.map(({ hour, count }) => `${String(hour).padStart(2, '0')}:00 ${number(count)}`),
    ])
}

/** Checks that the charts are drawn and can be read with the keyboard. */
async function readsChartsByKeys(board: OpenBoard): Promise<void> {
  const { page, t, number, panel } = board
  for (const { heading } of [t.trend, t.hours]) await panel(heading).locator('canvas').waitFor()
  const slider = page.getByRole('slider', { name: t.trend.plot })
  const cursor = () =>
    panel(t.trend.heading)
      .locator('.u-cursor-x')
      .evaluate((line) => line.getBoundingClientRect().left)
  const told = async (index: number) => {
    const { date, pv, uv } = WEEK[index]!
    const text = `${dayText(board, date)}: ${t.trend.pv} ${number(pv)}, ${t.trend.uv} ${number(uv)}`
    await expect.poll(() => slider.getAttribute('aria-valuetext')).toBe(text)
    const seen = await panel(t.trend.heading).locator('.chart-readout').textContent()
    for (const shown of [dayText(board, date), number(pv), number(uv)]) expect(seen).toContain(shown)
  }
  await told(6)
  await slider.focus()
  const end = await cursor()
  for (const [key, index] of [
    ['ArrowLeft', 5],
    ['Home', 0],
    ['ArrowLeft', 0],
    ['ArrowRight', 1],
    ['End', 6],
    ['PageDown', 0],
  ] as const) {
    await page.keyboard.press(key)
    await told(index)
  }
  await expect.poll(cursor).toBeLessThan(end)
}

/** Checks the visits: ten rows at most, times in the operator's zone, status as number, word and colour. */
async function readsTables({ t, number, panel, rowsOf }: OpenBoard): Promise<void> {
  await expect
    .poll(() => rowsOf(t.ranking.heading))
    .toEqual([
      `${t.ranking.rank} ${t.ranking.page} ${t.ranking.count}`,
      ...PATHS.slice(0, 10).map(([path, count], index) => `${index + 1} ${path} ${number(count)}`),
    ])
  const visits = await rowsOf(t.visits.heading)
  expect(visits).toHaveLength(11)
  expect(visits[1]).toBe(`18:42:07 / 203.0.113.11 200 ${t.visits.class[2]}`)
  const status = panel(t.visits.heading).locator('.board-status')
  const classes = await status.evaluateAll((all) => all.map((each) => each.getAttribute('data-class')))
  expect(classes.join('')).toBe('2232422522')
  const people = await rowsOf(t.users.heading)
  expect(people[1]).toMatch(new RegExp(`^grace\\.hopper\\.1@kinora\\.test .*18:05 ${t.users.unverified}$`))
  expect(people[3]).toBe(`grace.hopper.3@kinora.test ${t.users.unknown} ${t.users.verified}`)
}

/** Checks the sections about visitors, tasks, margin and actions. */
async function readsTheRest({ page, t, number, panel }: OpenBoard): Promise<void> {
  const said = {
    [t.live.heading]: ['38', t.live.visitors_other, '/workspace'],
    [t.tasks.heading]: ['98.8%', t.tasks.code.content_refused, t.tasks.status.Processing],
    [t.now.heading]: [
      'provider_key_refused',
      `${t.cases.kinds.report}`,
      t.now.approvals_one?.replace('{{count}}', '1') ?? '1',
    ],
    [t.margin.heading]: [number(96_500), number(208_915), '4,186.50', '89.98', '666.68', '3,519.82', t.margin.unpriced],
    [t.actions.heading]: [t.actions.name.exported, 'users.csv', '203.0.113.7'],
  }
  for (const [heading, texts] of Object.entries(said)) {
    const tree = await panel(heading).ariaSnapshot()
    for (const text of texts) expect(tree).toContain(text)
  }
  const foot = await page.locator('.board-foot').textContent()
  for (const text of ['18:42:07', 'Asia/Shanghai', t.foot.kept.replace('{{days}}', '90')]) expect(foot).toContain(text)
  const files = await page.locator('.board-csv').evaluateAll((all) => all.map((link) => link.getAttribute('href')))
  const tables = ['actions', 'days', 'failures', 'hours', 'pages', 'sources', 'users', 'visits']
  expect(files.sort()).toEqual(tables.map((name) => `/api/v1/analytics/tables/${name}.csv`))
}

async function fits({ page, t }: OpenBoard): Promise<void> {
  const slider = page.getByRole('slider', { name: t.trend.plot })
  for (const width of sampled([1920, 1280, 768, 390, 320], 2)) {
    await page.setViewportSize({ width, height: 1080 })
    const beyond = () => page.evaluate(() => document.documentElement.scrollWidth - innerWidth)
    expect([width, await beyond()]).toEqual([width, 0])
    await expect
      .poll(() => slider.evaluate((box) => box.clientWidth - box.querySelector('.uplot')!.clientWidth))
      .toBe(0)
    if (width === 1280 || width === 390) expect(await axeFaults(page)).toEqual([])
  }
}

describeOnBoard('the operator’s board', (on) => {
  it.each(languagesInTurn())(
    'shows its figures to sighted, keyboard and screen reader users (%s)',
    async (language) => {
      const violations: string[] = []
      const board = await on.open(language, async (_, page) => {
        await observeShifts(page)
        page.on('console', (line) => line.type() === 'error' && violations.push(line.text()))
      })
      const { page, state, t } = board
      await page.getByRole('heading', { level: 1, name: t.heading }).waitFor()
      await readsCards(board)
      expect(await shiftFaults(page)).toEqual([])
      // In parallel, and the week's days only once.
      expect(state.calls.filter((path) => CORE.includes(path)).slice(0, CORE.length)).toEqual(CORE)
      expect(state.calls.filter((path) => path.startsWith(weekly.path))).toHaveLength(1)
      await readsTablesBehindCharts(board)
      await readsChartsByKeys(board)
      await readsTables(board)
      await readsTheRest(board)
      await fits(board)
      expect(violations).toEqual([])
      await page.context().close()
    },
  )
})

// Only this test visits the site.
describeOnSite(
  'the operator’s board on a new installation',
  (site) => {
    /** Views of all attempts. */
    let views = 0

    it('shows the figures counted by the server', async () => {
      const t = await words('en', 'dashboard')
      const visitor = await site.visit({ language: 'en' })
      for (const path of ['/', '/faq']) {
        const counted = visitor.waitForResponse('**/analytics/page-view')
        await visitor.goto(site.url + path)
        expect((await counted).status()).toBe(202)
        views += 1
      }
      await visitor.context().close()
      const { email } = await site.newUser()

      const page = await site.visit({ language: 'en' })
      await page.goto(`${site.url}/admin/dashboard`)
      expect(new URL(page.url()).pathname).toBe('/admin/dashboard/login')
      const signIn = async (password: string) => {
        await page.getByLabel(t.login.username, { exact: true }).fill(OPERATOR.username)
        await page.getByLabel(t.login.password, { exact: true }).fill(password)
        await page.getByRole('button', { name: t.login.submit, exact: true }).click()
      }
      await signIn('a wall of bricks')
      await page.getByText(t.login.refused).waitFor()
      await signIn(OPERATOR.password)
      // The first sign-in leads to the engines.
      await page.waitForURL(/\/admin\/dashboard(#engines)?$/)
      await page.goto(`${site.url}/admin/dashboard`)

      const panel = (name: string) => page.getByRole('region', { name: t[name].heading, exact: true })
      await panel('users').getByText(email).waitFor()
      await panel('visits').getByText('/faq', { exact: true }).first().waitFor()
      await panel('ranking').getByText('/faq', { exact: true }).first().waitFor()
      await panel('actions').getByText(t.actions.name.sign_in_refused).first().waitFor()
      await panel('margin').getByText(t.margin.noCost).waitFor()
      await panel('tasks').getByText(t.tasks.noStuck).waitFor()
      await expect.poll(() => page.locator('[data-figure="pv"] .board-number').textContent()).toBe(String(views))
      for (const text of [t.failed, t.unread, t.unfilled])
        await expect.poll(() => page.getByText(text, { exact: true }).count()).toBe(0)
      await page.getByText(t.asTable).first().click()
      await expect.poll(() => panel('trend').getByRole('row').count()).toBe(8)

      const file = page.waitForEvent('download')
      await panel('ranking').getByRole('link').click()
      expect(await readFile(await (await file).path(), 'utf8')).toContain('/faq')
      await page.getByRole('button', { name: t.logout, exact: true }).click()
      await page.waitForURL(`${site.url}/admin/dashboard/login`)
      await page.goto(`${site.url}/admin/dashboard`)
      expect(new URL(page.url()).pathname).toBe('/admin/dashboard/login')
      await page.context().close()
    })
  },
  {},
)
