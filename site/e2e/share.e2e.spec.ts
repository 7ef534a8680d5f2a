import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Page } from 'playwright'
import { beforeAll, expect, it } from 'vitest'
import type { Share, Task } from '#backend/tasks/contract.ts'
import { sampled } from '#backend/testing/sampled.ts'
import type { TestUser } from '#backend/testing/testUser.ts'
import { axeFaults } from './testing/axeFaults.ts'
import { htmlFaults } from './testing/htmlFaults.ts'
import { languagesInTurn } from './testing/languagesInTurn.ts'
import { observeShifts, shiftFaults } from './testing/layoutShift.ts'
import { mailedLink } from './testing/mailedLink.ts'
import { makeFilm, PROMPT, shareFilm } from './testing/makeFilm.ts'
import { describeOnSite } from './testing/onSite.ts'
import { signUp, words } from './testing/walkJourney.ts'

describeOnSite('the page of a shared film', (site) => {
  let film: Task
  let owner: TestUser
  let share: Share
  beforeAll(async () => {
    owner = await site.newUser()
    film = await makeFilm(owner)
    share = await shareFilm(owner, film)
  })

  const addressIn = (language: 'en' | 'zh') => {
    const { origin, pathname } = new URL(share.url)
    return origin + (language === 'zh' ? '/zh' : '') + pathname
  }
  const widthOf = (page: Page) =>
    page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth)

  it.each(languagesInTurn())('plays without an account, at every width (%s)', async (language) => {
    const page = await site.visit({ language })
    const faults: string[] = []
    page.on('console', (line) => line.type() === 'error' && faults.push(line.text()))
    page.on('pageerror', (error) => faults.push(error.message))
    await observeShifts(page)
    for (const width of sampled([390, 1280])) {
      await page.setViewportSize({ width, height: 860 })
      const answer = await page.goto(addressIn(language))
      expect(htmlFaults(await answer!.text())).toEqual([])
      expect([width, await shiftFaults(page)]).toEqual([width, []])
    }
    const player = page.locator('video')
    await expect.poll(() => player.evaluate((video: HTMLVideoElement) => video.currentTime)).toBeGreaterThan(0.2)
    for (const width of sampled([320, 390, 768, 1280, 1920], 2)) {
      await page.setViewportSize({ width, height: 860 })
      expect([width, await widthOf(page), await axeFaults(page)]).toEqual([width, 0, []])
      // One line of text.
      const heights = page.locator('.film-actions .button').evaluateAll((all) => all.map((each) => each.clientHeight))
      expect([width, Math.max(...(await heights))]).toEqual([width, 50])
      const shots = process.env.KINORA_SHOTS
      if (shots) await page.screenshot({ path: `${shots}/share-${language}-${width}.png`, fullPage: true })
    }
    await page.goto(`${addressIn(language)}/embed`)
    expect(await axeFaults(page)).toEqual([])
    const unknown = await page.goto(addressIn(language).slice(0, -1))
    expect([unknown!.status(), await axeFaults(page)]).toEqual([404, []])
    expect(faults.filter((fault) => !fault.includes('404'))).toEqual([])
    await page.context().close()
  })

  it('plays in a frame of another site, and its page does not', async () => {
    const page = await site.visit({ language: 'en' })
    const { pathname } = new URL(share.url)
    const frames = [`${site.url}${pathname}/embed`, site.url + pathname].map((src) => `<iframe src="${src}"></iframe>`)
    const elsewhere = createServer((_, res) => res.setHeader('content-type', 'text/html').end(frames.join('')))
    await new Promise<void>((resolve) => elsewhere.listen(0, '127.0.0.1', resolve))
    await page.goto(`http://127.0.0.1:${(elsewhere.address() as AddressInfo).port}/`)
    const shown = (index: number) => page.frameLocator('iframe').nth(index).locator('video').count()
    await expect.poll(() => shown(0)).toBe(1)
    await expect.poll(() => shown(1)).toBe(0)
    elsewhere.close()
    await page.context().close()
  })

  /** Opens the shared film and asks for its settings, which needs a sign-in. */
  const askToRemix = async (language: 'en' | 'zh') => {
    const page = await site.visit({ language, width: language === 'zh' ? 390 : 1280 })
    const texts = await words(language, 'share')
    await page.goto(addressIn(language))
    await page.getByRole('link', { name: texts.remix }).click()
    await page.waitForURL('**/auth/login?next=*')
    await page.getByText((await words(language, 'auth')).remix, { exact: true }).waitFor()
    await expect
      .poll(() => page.locator('#remix img').evaluate((picture: HTMLImageElement) => picture.naturalWidth))
      .toBeGreaterThan(0)
    const { form, task } = await words(language, 'workspace')
    return { page, form, task, prompt: page.getByRole('textbox', { name: form.prompt }) }
  }

  it.each(languagesInTurn('zh'))(
    "becomes a stranger's own film, after a sign-up by mailed link (%s)",
    async (language) => {
      const { page, form, task, prompt } = await askToRemix(language)
      const { field, start } = await words(language, 'auth')
      const email = `stranger.${language}.${Date.now()}@kinora.test`
      await page.getByLabel(field.email, { exact: true }).fill(email)
      const asked = page.waitForRequest('**/api/v1/auth/start')
      await page.getByRole('button', { name: start.continue, exact: true }).click()
      // The settings wait in the browser: a mailed draft would start the video, and be charged, without a click.
      expect((await asked).postDataJSON().draft ?? {}).not.toHaveProperty('prompt')
      await page.getByText(email).waitFor()
      await page.goto(await mailedLink(site.url, email))
      await page.waitForURL(/\/workspace$/)
      await expect.poll(() => prompt.inputValue()).toContain(PROMPT)
      await expect
        .poll(() => page.getByRole('textbox', { name: form.seed, exact: true }).inputValue())
        .toBe(String(film.seed))
      const row = page.getByRole('listitem').filter({ hasText: PROMPT })
      await expect.poll(() => row.count()).toBe(0)
      await page.getByRole('button', { name: new RegExp(form.generate) }).click()
      await row.getByRole('button', { name: task.play }).waitFor()
      await page.context().close()
    },
  )

  it.each(languagesInTurn())('keeps its settings through a sign-up with a password (%s)', async (language) => {
    const { page, prompt } = await askToRemix(language)
    await signUp(page, site.url, language)
    await expect.poll(() => prompt.inputValue()).toContain(PROMPT)
    await page.context().close()
  })
})
