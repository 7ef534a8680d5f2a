import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Page } from 'playwright'
import { beforeAll, expect, it, vi } from 'vitest'
import type { Share, Task } from '#backend/tasks/contract.ts'
import type { TestUser } from '#backend/testing/testUser.ts'
import { axeFaults } from './testing/axeFaults.ts'
import { htmlFaults } from './testing/htmlFaults.ts'
import { languagesInTurn } from './testing/languagesInTurn.ts'
import { observeShifts, shiftFaults } from './testing/layoutShift.ts'
import { describeOnSite } from './testing/onSite.ts'
import { signUp, words } from './testing/walkJourney.ts'

const PROMPT = 'A sailboat on a calm sea at sunset'
const ORDER = {
  ...{ task_type: 'text_to_video', model: 'MiniMax-Hailuo-02', prompt: PROMPT, duration: 6, resolution: '768P' },
  camera_movements: ['推进'],
}

async function makeFilm(user: TestUser): Promise<Task> {
  const made = (await (await user.call('POST', '/videos/generate', ORDER)).json()) as { task: Task }
  return vi.waitFor(
    async () => {
      const task = (await (await user.call('GET', `/videos/tasks/${made.task.id}`)).json()) as Task
      expect(task.status).toBe('Success')
      return task
    },
    { timeout: 90_000, interval: 250 },
  )
}

describeOnSite('the page of a shared film', (site) => {
  let film: Task
  let owner: TestUser
  let share: Share
  beforeAll(async () => {
    owner = await site.newUser()
    film = await makeFilm(owner)
    const shown = { show_prompt: true, show_name: true }
    share = (await (await owner.call('POST', `/videos/tasks/${film.id}/share`, shown)).json()) as Share
  }, 120_000)

  const addressIn = (language: 'en' | 'zh') => {
    const { origin, pathname } = new URL(share.url)
    return origin + (language === 'zh' ? '/zh' : '') + pathname
  }
  const widthOf = (page: Page) =>
    page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth)

  it.each(['en', 'zh'] as const)(
    'plays without an account, at every width (%s)',
    { timeout: 60_000 },
    async (language) => {
      const page = await site.visit({ language })
      const faults: string[] = []
      page.on('console', (line) => line.type() === 'error' && faults.push(line.text()))
      page.on('pageerror', (error) => faults.push(error.message))
      await observeShifts(page)
      for (const width of [390, 1280]) {
        await page.setViewportSize({ width, height: 860 })
        const answer = await page.goto(addressIn(language))
        expect(htmlFaults(await answer!.text())).toEqual([])
        expect([width, await shiftFaults(page)]).toEqual([width, []])
      }
      const player = page.locator('video')
      await expect.poll(() => player.evaluate((video: HTMLVideoElement) => video.currentTime)).toBeGreaterThan(0.2)
      for (const width of [320, 390, 768, 1280, 1920]) {
        await page.setViewportSize({ width, height: 860 })
        expect([width, await widthOf(page), await axeFaults(page)]).toEqual([width, 0, []])
        const shots = process.env.KINORA_SHOTS
        if (shots) await page.screenshot({ path: `${shots}/share-${language}-${width}.png`, fullPage: true })
      }
      await page.goto(`${addressIn(language)}/embed`)
      expect(await axeFaults(page)).toEqual([])
      const unknown = await page.goto(addressIn(language).slice(0, -1))
      expect([unknown!.status(), await axeFaults(page)]).toEqual([404, []])
      expect(faults.filter((fault) => !fault.includes('404'))).toEqual([])
      await page.context().close()
    },
  )

  it('plays in a frame of another site, and its page does not', { timeout: 30_000 }, async () => {
    const page = await site.visit({ language: 'en' })
    const { pathname } = new URL(share.url)
    const frames = [`${site.url}${pathname}/embed`, site.url + pathname].map((src) => `<iframe src="${src}"></iframe>`)
    const elsewhere = createServer((_, res) => res.setHeader('content-type', 'text/html').end(frames.join('')))
    await new Promise<void>((resolve) => elsewhere.listen(0, '127.0.0.1', resolve))
    await page.goto(`http://127.0.0.1:${(elsewhere.address() as AddressInfo).port}/`)
    const shown = (index: number) => page.frameLocator('iframe').nth(index).locator('video').count()
    await expect.poll(() => shown(0)).toBe(1)
    expect(await shown(1)).toBe(0)
    elsewhere.close()
    await page.context().close()
  })

  it.each(languagesInTurn('zh'))("becomes a stranger's own film (%s)", { timeout: 180_000 }, async (language) => {
    const page = await site.visit({ language, width: language === 'zh' ? 390 : 1280 })
    const [texts, { form, task }] = [await words(language, 'share'), await words(language, 'workspace')]
    await page.goto(addressIn(language))
    await page.getByRole('link', { name: texts.remix }).click()
    await page.waitForURL('**/auth/login?next=*')
    await signUp(page, site.url, language)
    const prompt = page.getByRole('textbox', { name: form.prompt })
    await expect.poll(() => prompt.inputValue()).toContain(PROMPT)
    expect(await page.getByRole('textbox', { name: form.seed, exact: true }).inputValue()).toBe(String(film.seed))
    await page.getByRole('button', { name: new RegExp(form.generate) }).click()
    const row = page.getByRole('listitem').filter({ hasText: PROMPT })
    await row.getByRole('button', { name: task.play }).waitFor({ timeout: 90_000 })
    await page.context().close()
  })
})
