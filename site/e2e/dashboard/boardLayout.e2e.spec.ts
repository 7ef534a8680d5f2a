import { expect, it } from 'vitest'
import { apiKeys, live, margin, now, overview, securityFailures, sources, weekly } from '#backend/operators/contract.ts'
import { sampled } from '#backend/testing/sampled.ts'
import { OVERVIEW } from '../testing/boardDouble.ts'
import { pass } from '../testing/heldClock.ts'
import { languagesInTurn } from '../testing/languagesInTurn.ts'
import { describeOnBoard } from '../testing/onBoard.ts'

/** Seven lines of text with their padding, px. */
const TALLEST_ROW = 180

describeOnBoard('the operator’s board, with long values or without a connection', (on) => {
  it.each(languagesInTurn())('keeps rows short and within the screen at every width (%s)', async (language) => {
    const { page, panel, t } = await on.open(language, (state) => {
      const visit = { ...OVERVIEW.recent_visits[0]!, path: '/workspace', ip: '2001:db8:85a3:1234:5678:8a2e:370:7334' }
      state.answers.set(overview.path, () => ({ data: { ...OVERVIEW, recent_visits: [visit] } }))
      const waiting = state.answers.get(now.path)!
      state.answers.set(now.path, (query) => {
        const { data } = waiting(query) as { data: { alerts: object[] } }
        return { data: { ...data, alerts: [{ ...data.alerts[0], detail: `https://${'x'.repeat(90)}` }] } }
      })
    })
    await panel(t.parked.heading).getByRole('row').nth(1).waitFor()
    for (const width of sampled([1920, 1280, 768, 390, 320], 2)) {
      await page.setViewportSize({ width, height: 1080 })
      const tall = () =>
        page.$$eval(
          '.board-table tbody tr',
          (rows, most) => rows.filter((row) => row.clientHeight > most).map((row) => row.textContent),
          TALLEST_ROW,
        )
      expect([width, await tall()]).toEqual([width, []])
      const beyond = () => page.evaluate(() => document.documentElement.scrollWidth - innerWidth)
      expect([width, await beyond()]).toEqual([width, 0])
    }
    await page.context().close()
  })

  it.each(languagesInTurn())(
    'leaves no holes at 1680, and makes one line of a panel that is empty (%s)',
    async (language) => {
      const { page, panel, t } = await on.open(language, (state) => {
        state.answers.set(securityFailures.path, () => ({ failures: [], total: 0 }))
        state.answers.set(apiKeys.path, () => ({ keys: [], total: 0 }))
        state.answers.set(sources.path, () => ({ data: { sources: [], referrers: [] } }))
      })
      await page.setViewportSize({ width: 1680, height: 1080 })
      await panel(t.sources.heading).getByText(t.sources.empty).waitFor()
      const lines = await page.$$eval('.board-panels', ([all]) => {
        const boxes = [...all!.children]
          .map((each) => each.getBoundingClientRect())
          .filter(({ height }) => height > 0)
          .sort((a, b) => a.top - b.top || a.left - b.left)
        const right = all!.getBoundingClientRect().right
        const isLast = ({ top }: DOMRect, n: number) => boxes[n + 1]?.top !== top
        return boxes.filter(isLast).map((box) => Math.round(right - box.right))
      })
      expect(lines.filter((hole) => hole !== 0)).toEqual([])
      for (const heading of [t.sources.heading, t.security.heading, t.keys.heading])
        expect((await panel(heading).boundingBox())!.height).toBeLessThan(70)
      await page.context().close()
    },
  )

  it.each(languagesInTurn())(
    'begins with what needs the operator, in one line if nothing does (%s)',
    async (language) => {
      const { page, panel, state, t } = await on.open(language)
      await panel(t.now.heading).getByText('provider_key_refused').waitFor()
      const calm = { cases: [], approvals: 0, alerts: [], parked: 0, stuck: 0, backup: null }
      state.answers.set(now.path, () => ({ data: calm }))
      state.answers.set(overview.path, () => ({ data: { ...OVERVIEW, today: { ...OVERVIEW.today, pv: 44_453 } } }))
      // The board refreshes by itself.
      await pass(page, 60_000)
      await panel(t.now.heading).getByText(t.now.nothing).waitFor()
      await page.locator('[data-figure="pv"]').getByText('44,453').waitFor()
      expect((await panel(t.now.heading).boundingBox())!.height).toBeLessThan(70)
      const first = page.locator('main section').first()
      await expect.poll(() => first.getAttribute('aria-labelledby')).toBe('now-heading')
      await page.context().close()
    },
  )

  it('keeps the report of a failure, and the focus on its button, while it loads again', async () => {
    const { page, state, panel, t } = await on.open('en', (state) => {
      for (const { path } of [live, margin, weekly]) state.rare.set(path, (route) => route.abort())
    })
    const reload = panel(t.live.heading).getByRole('button', { name: t.reload })
    await reload.waitFor()
    const node = await reload.elementHandle()
    const calls = () => state.calls.filter((path) => path === live.path).length
    const before = calls()
    await pass(page, 12_000)
    expect(calls()).toBe(before + 1)
    // Screen readers announce an alert that is inserted, so it must be the same element after each poll.
    expect(await node!.evaluate((button) => button.isConnected)).toBe(true)

    for (const button of [
      panel(t.margin.heading).getByRole('button', { name: t.reload }),
      page.getByRole('button', { name: t.retry, exact: true }),
    ]) {
      const asked = state.calls.length
      await button.press('Enter')
      await expect.poll(() => state.calls.length).toBeGreaterThan(asked)
      await expect.poll(() => button.getAttribute('aria-busy')).toBe(null)
      expect(await button.evaluate((each) => each === document.activeElement)).toBe(true)
    }
    await page.context().close()
  })

  it('keeps the focus on Refresh while it loads', async () => {
    const { page, t } = await on.open('en')
    const refresh = page.getByRole('button', { name: t.refresh, exact: true })
    await expect.poll(() => refresh.isEnabled()).toBe(true)
    await refresh.press('Enter')
    await expect.poll(() => refresh.isEnabled()).toBe(true)
    expect(await refresh.evaluate((button) => button === document.activeElement)).toBe(true)
    await page.context().close()
  })

  it('hides the markers of its data tables from screen readers', async () => {
    const { page, panel, t } = await on.open('en')
    const table = panel(t.trend.heading).getByText(t.asTable)
    await table.waitFor()
    expect(await panel(t.trend.heading).ariaSnapshot()).toContain(`group: ${t.asTable}`)
    await table.click()
    expect(await panel(t.trend.heading).ariaSnapshot()).not.toContain('▾')
    await page.context().close()
  })

  it('draws its charts in the colours of a contrast theme', async () => {
    const { page } = await on.open('en', async (_, page) => {
      await page.emulateMedia({ forcedColors: 'active', colorScheme: 'light' })
    })
    await page.locator('.board-trend canvas').waitFor()
    // Contrast of the darkest pixel of the axis labels against white: the page's own colours reach 2.3.
    const darkest = () =>
      page.locator('.board-trend canvas').evaluate((canvas: HTMLCanvasElement) => {
        const { data } = canvas.getContext('2d')!.getImageData(0, 0, 40, canvas.height)
        const inked = Array.from({ length: data.length / 4 }, (_, at) => data.subarray(at * 4, at * 4 + 4))
        return Math.min(...inked.filter((pixel) => pixel[3]! > 200).map(([red]) => red!))
      })
    await expect.poll(darkest).toBeLessThan(90)
    await page.context().close()
  })
})
