import { expect, it } from 'vitest'
import { sampled } from '#backend/testing/sampled.ts'
import { axeFaults } from '../testing/axeFaults.ts'
import { describeOnSite } from '../testing/onSite.ts'
import { words } from '../testing/walkJourney.ts'
import { openDouble, taskOf } from '../testing/workspaceDouble.ts'

describeOnSite('the theatre view', (site) => {
  it.each(
    sampled([
      ['en', 992, 900],
      ['zh', 1920, 900],
      ['en', 1280, 0],
    ] as const),
  )('shows the film, its takes and the dock without overlap, in %s at %i px with %i credits', async (...shape) => {
    const [language, width, credits] = shape
    const { form, stage, camera } = await words(language, 'workspace')
    const page = await site.visit({ language, width })
    const state = await openDouble(page, site.url, language)
    state.tasks = [taskOf('a'), taskOf('b')]
    state.stats = { ...state.stats, remaining_credits: credits }
    await page.goto(`${site.url}${language === 'zh' ? '/zh' : ''}/workspace`)
    await page.locator('[data-take="a"]').waitFor()
    const toggle = page.getByRole('button', { name: stage.theatre })
    await page.keyboard.press('t')
    await expect.poll(() => toggle.getAttribute('aria-pressed')).toBe('true')
    const box = async (selector: string) => (await page.locator(selector).boundingBox())!
    const height = page.viewportSize()!.height
    const [film, strip, dock] = [await box('.film'), await box('.filmstrip'), await box('form.generation')]
    expect(film.x + film.width).toBeLessThanOrEqual(strip.x)
    expect(Math.max(film.y + film.height, strip.y + strip.height)).toBeLessThanOrEqual(dock.y)
    expect(dock.y + dock.height).toBeLessThanOrEqual(height)
    expect(film.width).toBeGreaterThan(width === 992 ? 400 : 560)
    const generation = page.locator('form.generation')
    expect(await generation.evaluate((element) => element.scrollWidth - element.clientWidth)).toBe(0)
    expect(await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)).toBeLessThanOrEqual(0)
    expect(await axeFaults(page, 'main')).toEqual([])

    // The keyboard reaches a field that the dock must scroll to, and it is not under the sticky row.
    const last = page.getByRole('radio').last()
    await last.focus()
    const [field, generate] = [(await last.boundingBox())!, await box('.generate-line')]
    expect(field.y).toBeGreaterThanOrEqual(generate.y + generate.height)
    await page.getByRole('button', { name: form.movements }).click()
    await page.getByRole('dialog', { name: camera.heading }).waitFor()
    await page.keyboard.press('Escape')
    await page.evaluate(() => (document.activeElement as HTMLElement).blur())
    await page.keyboard.press('t')
    await expect.poll(() => toggle.getAttribute('aria-pressed')).toBe('false')
    await page.context().close()
  })

  it.each(
    sampled([
      ['en', 1280, 800],
      ['zh', 1280, 800],
      ['en', 1680, 950],
      ['zh', 1680, 950],
    ] as const),
  )(
    'makes the film 1.3 times as large as beside the whole form, in %s at %i × %i px',
    async (language, width, height) => {
      const page = await site.visit({ language, width })
      await page.setViewportSize({ width, height })
      const state = await openDouble(page, site.url, language)
      state.tasks = [taskOf('a')]
      await page.goto(`${site.url}${language === 'zh' ? '/zh' : ''}/workspace`)
      await page.locator('[data-take="a"]').waitFor()
      const box = async (selector: string) => (await page.locator(selector).boundingBox())!
      const areaOf = ({ width, height }: { width: number; height: number }) => width * height
      const [before, form, bar, fields] = await Promise.all(
        ['.film', '.generation', '.generate-bar', '.tab-panel'].map(box),
      )
      expect(form!.y + form!.height).toBeLessThanOrEqual(height)
      expect(fields!.y + fields!.height).toBeLessThanOrEqual(bar!.y)
      expect(areaOf(before!)).toBeGreaterThanOrEqual(width === 1280 ? 748 * 420 : 1028 * 578)
      await page.keyboard.press('t')
      await page.locator('[data-view="theatre"]').waitFor()
      const [film, dock] = [await box('.film'), await box('.generation')]
      expect(areaOf(film)).toBeGreaterThanOrEqual(1.3 * areaOf(before!))
      expect(film.y + film.height).toBeLessThanOrEqual(dock.y)
      expect(dock.y + dock.height).toBeLessThanOrEqual(height)
      const prices = await page.locator('.generation .option input:not(:disabled)').evaluateAll((inputs) => {
        const [low, high] = [0, innerHeight]
        return inputs
          .map((input) => input.getBoundingClientRect())
          .filter(({ top, bottom }) => top < low || bottom > high)
      })
      expect(prices).toEqual([])
      await page.context().close()
    },
  )
})
