import { expect, it } from 'vitest'
import { axeFaults } from '../testing/axeFaults.ts'
import { describeOnSite } from '../testing/onSite.ts'
import { words } from '../testing/walkJourney.ts'
import { openDouble, taskOf } from '../testing/workspaceDouble.ts'

describeOnSite('the theatre view', (site) => {
  it.each([
    ['en', 992],
    ['zh', 1920],
  ] as const)('shows the film, its takes and the dock without overlap, in %s at %i px', async (language, width) => {
    const { form, stage, camera } = await words(language, 'workspace')
    const page = await site.visit({ language, width })
    const state = await openDouble(page, site.url, language)
    state.tasks = [taskOf('a'), taskOf('b')]
    await page.goto(`${site.url}${language === 'zh' ? '/zh' : ''}/workspace`)
    await page.locator('[data-take="a"]').waitFor()
    const toggle = page.getByRole('button', { name: stage.theatre })
    await page.keyboard.press('t')
    await expect.poll(() => toggle.getAttribute('aria-pressed')).toBe('true')
    const box = async (selector: string) => (await page.locator(selector).boundingBox())!
    const height = page.viewportSize()!.height
    const [film, strip, dock] = [await box('.film'), await box('.filmstrip'), await box('form.generation')]
    expect(film.y + film.height).toBeLessThanOrEqual(strip.y)
    expect(strip.y + strip.height).toBeLessThanOrEqual(dock.y)
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
})
