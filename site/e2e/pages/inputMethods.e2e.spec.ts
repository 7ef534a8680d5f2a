import type { Locator } from 'playwright'
import { expect, it } from 'vitest'
import { describeOnSite } from '../testing/onSite.ts'

/** Presses a key that an input method takes, as Safari reports it, and returns whether the page acted on it. */
const compose = (field: Locator, key: string) =>
  field.evaluate((element, key) => {
    const event = new KeyboardEvent('keydown', { key, keyCode: 229, bubbles: true, cancelable: true })
    return !element.dispatchEvent(event)
  }, key)

describeOnSite('a key of an input method', (site) => {
  it('neither submits a form nor opens what a search found', async () => {
    const page = await site.visit({ language: 'zh' })
    await page.goto(`${site.url}/zh/auth/login`)
    const address = page.locator('input[type="email"]')
    await address.fill('ada@kinora.test')
    expect(await compose(address, 'Enter')).toBe(false)

    await page.goto(`${site.url}/zh/`)
    await page.waitForFunction(() => document.documentElement.dataset.awake === '')
    const prompt = page.locator('textarea').first()
    await prompt.fill('一只猫')
    expect(await compose(prompt, 'Enter')).toBe(false)

    await page.goto(`${site.url}/zh/docs/start`)
    await page.waitForFunction(() => document.documentElement.dataset.awake === '')
    const search = page.locator('#docs-search')
    await search.fill('API')
    await page.locator('#docs-found a').first().waitFor()
    const before = page.url()
    for (const key of ['Enter', 'Escape']) await compose(search, key)
    expect([page.url(), await search.inputValue()]).toEqual([before, 'API'])
    await search.press('Enter')
    await expect.poll(() => page.url()).not.toBe(before)
    await page.context().close()
  })
})
