import { expect, it } from 'vitest'
import { sampled } from '#backend/testing/sampled.ts'
import { axeFaults } from '../testing/axeFaults.ts'
import { describeOnSite } from '../testing/onSite.ts'
import { words } from '../testing/walkJourney.ts'
import { openDouble, taskOf } from '../testing/workspaceDouble.ts'

describeOnSite('takes of one prompt', (site) => {
  it.each(
    sampled([
      ['en', 1280],
      ['zh', 320],
    ] as const),
  )('can be compared and chosen by number, in %s at %i px', async (language, width) => {
    const { compare } = await words(language, 'workspace')
    const page = await site.visit({ language, width })
    const state = await openDouble(page, site.url, language)
    const prompt = 'A ship'
    state.tasks = [taskOf('a', { prompt, seed: 7 }), taskOf('b', { prompt }), taskOf('c'), taskOf('d', { prompt })]
    await page.goto(`${site.url}${language === 'zh' ? '/zh' : ''}/workspace`)
    await page.getByRole('button', { name: compare.heading }).click()
    const dialog = page.getByRole('dialog', { name: compare.heading })
    await dialog.waitFor()
    const films = dialog.locator('video')
    const sources = await films.evaluateAll((all) => all.map((film) => film.getAttribute('src')?.split('/').at(-1)))
    expect(sources).toEqual(['a', 'b', 'd'])
    expect(await axeFaults(page, 'dialog[open]')).toEqual([])
    expect(await dialog.evaluate((element) => element.scrollWidth - element.clientWidth)).toBe(0)
    await page.keyboard.press('3')
    await dialog.waitFor({ state: 'detached' })
    await expect.poll(() => page.locator('[data-take][aria-current]').getAttribute('data-take')).toBe('d')
    await page.locator('[data-take="c"]').click()
    await expect.poll(() => page.getByRole('button', { name: compare.heading }).count()).toBe(0)
    await page.context().close()
  })

  it('are not chosen by number if single keys are switched off', async () => {
    const { compare } = await words('en', 'workspace')
    const page = await site.visit({ language: 'en' })
    const state = await openDouble(page, site.url, 'en')
    await page.addInitScript(() => localStorage.setItem('kinora.keys', 'off'))
    state.tasks = [taskOf('a', { prompt: 'A ship' }), taskOf('b', { prompt: 'A ship' })]
    await page.goto(`${site.url}/workspace`)
    await page.getByRole('button', { name: compare.heading }).click()
    const dialog = page.getByRole('dialog', { name: compare.heading })
    await dialog.waitFor()
    await page.keyboard.press('2')
    await page.keyboard.press('Tab')
    await expect.poll(() => dialog.count()).toBe(1)
    await expect.poll(() => page.locator('[data-take][aria-current]').getAttribute('data-take')).toBe('a')
    await page.context().close()
  })
})
