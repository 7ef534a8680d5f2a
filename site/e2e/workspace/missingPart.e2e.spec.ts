import { expect, it } from 'vitest'
import { languagesInTurn } from '../testing/languagesInTurn.ts'
import { describeOnSite } from '../testing/onSite.ts'
import { words } from '../testing/walkJourney.ts'
import { openDouble, picture, taskOf } from '../testing/workspaceDouble.ts'

const PROMPT = 'A ship'

/** A page that was open during a release asks for files of the earlier one. */
describeOnSite('a part of a page that is gone after a release', (site) => {
  it.each(languagesInTurn())('leaves the workspace in use, and can be had by a reload (%s)', async (language) => {
    const { compare, crop, form, image } = await words(language, 'workspace')
    const { action, partMissing } = await words(language, 'common')
    const page = await site.visit({ language })
    const state = await openDouble(page, site.url, language)
    state.tasks = [taskOf('a', { prompt: PROMPT }), taskOf('b', { prompt: PROMPT })]
    await page.route(/_astro\/(Compare|Crop)Dialog\./, (route) => route.fulfill({ status: 404, body: '' }))
    await page.goto(`${site.url}${language === 'zh' ? '/zh' : ''}/workspace`)
    const prompt = page.locator('#prompt')
    await prompt.fill(PROMPT)
    await page.getByRole('button', { name: compare.heading }).click()
    const toast = page.locator('.toast', { hasText: partMissing })
    await toast.getByRole('link', { name: action.reload }).waitFor()
    await toast.getByRole('button').click()
    await page.getByRole('tab', { name: form.image }).click()
    const file = { name: 'a.jpg', mimeType: 'image/jpeg', buffer: picture(640, 360) }
    await page.locator('#first-frame').setInputFiles(file)
    await page.getByText(image.ready).waitFor()
    await page.getByRole('button', { name: crop.open }).click()
    await toast.waitFor()
    await expect.poll(() => prompt.inputValue()).toBe(PROMPT)
    await page.unroute(/_astro\/(Compare|Crop)Dialog\./)
    const reloaded = page.waitForEvent('load')
    await toast.getByRole('link', { name: action.reload }).click()
    await reloaded
    await page.getByRole('button', { name: crop.open }).click()
    await page.getByRole('dialog', { name: crop.heading }).waitFor()
    await expect.poll(() => prompt.inputValue()).toBe(PROMPT)
    await page.context().close()
  })

  it('reloads the landing page, which keeps the prompt', async () => {
    const { start } = await words('en', 'landing')
    const page = await site.visit({ language: 'en' })
    await page.route(/_astro\/startCard\./, (route) => route.fulfill({ status: 404, body: '' }))
    await page.goto(site.url)
    const prompt = page.getByRole('textbox', { name: start.label })
    const generate = page.locator('#start').getByRole('button', { name: start.generate, exact: true })
    await prompt.fill(PROMPT)
    const reloaded = page.waitForEvent('load')
    await generate.click()
    await reloaded
    await page.unroute(/_astro\/startCard\./)
    await expect.poll(() => prompt.inputValue()).toBe(PROMPT)
    await page.waitForFunction(() => document.documentElement.dataset.awake !== undefined)
    await generate.click()
    await page.getByRole('dialog', { name: start.heading }).waitFor()
    await page.context().close()
  })
})
