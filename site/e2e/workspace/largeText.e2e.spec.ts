import { expect, it } from 'vitest'
import { sampled } from '#backend/testing/sampled.ts'
import { launchChromium } from '../testing/chromium.ts'
import { describeOnSite } from '../testing/onSite.ts'
import { openDouble, taskOf } from '../testing/workspaceDouble.ts'

describeOnSite('with text of twice the size, the workspace', (site) => {
  it.each(sampled([390, 1280]))('shows all of its form and of its dialogs at %i px', async (width) => {
    const browser = await launchChromium(['--blink-settings=defaultFontSize=32'])
    const page = await browser.newPage({ viewport: { width, height: 800 } })
    const state = await openDouble(page, site.url, 'en')
    state.tasks = [taskOf('a')]
    await page.goto(`${site.url}/workspace`)
    const beyond = (part: string) =>
      page
        .locator(part)
        .first()
        .evaluate((element) => element.scrollWidth - element.clientWidth)
    await page.locator('.movements-button').waitFor()
    for (const part of ['.workspace-form', '.panel', '.movements-button', '.header-in'])
      expect([part, await beyond(part)]).toEqual([part, 0])
    await page.locator('.movements-button').press('Enter')
    await page.locator('dialog[open] .movement').first().waitFor()
    expect(await beyond('dialog[open]')).toBe(0)
    await browser.close()
  })
})
