import { expect, it } from 'vitest'
import { mailedLink } from './testing/mailedLink.ts'
import { describeOnSite } from './testing/onSite.ts'
import { words } from './testing/walkJourney.ts'
import { openDouble, picture } from './testing/workspaceDouble.ts'

describeOnSite('the landing page of a reader', (site) => {
  it('turns a visitor’s picture into the first frame of the video that the mailed link starts', async () => {
    const { start } = await words('en', 'landing')
    const email = `picture.${Date.now()}@kinora.test`
    const page = await site.visit({ language: 'en', width: 390 })
    await page.goto(site.url)
    await page.getByRole('textbox', { name: start.label }).fill('Waves move')
    const file = { name: 'own.jpg', mimeType: 'image/jpeg', buffer: picture(640, 360) }
    await page.locator('#start input[type=file]').setInputFiles(file)
    await page.locator('#start').getByText('own.jpg').waitFor()
    await page.locator('#start').getByRole('button', { name: start.generate, exact: true }).click()
    const card = page.getByRole('dialog', { name: start.heading })
    await card.getByLabel(start.email, { exact: true }).fill(email)
    await card.getByRole('button', { name: start.continue }).click()
    await page.getByRole('dialog', { name: start.sentHeading }).getByText(email).waitFor()
    await page.goto(await mailedLink(site.url, email))
    await page.waitForURL(/\/workspace$/)
    const read = async () => {
      const { tasks } = (await (await page.request.get(`${site.url}/api/v1/videos/tasks`)).json()) as {
        tasks: { task_type: string; prompt: string; first_frame_image_url: string }[]
      }
      return tasks[0]
    }
    await expect.poll(read).toMatchObject({ task_type: 'image_to_video', prompt: 'Waves move' })
    const image = await page.request.get(new URL((await read())!.first_frame_image_url, site.url).href)
    expect(image.headers()['content-type']).toBe('image/jpeg')
    await page.context().close()
  })

  it.each([
    ['free', 'en'],
    ['standard', 'zh'],
  ] as const)('marks the plan of a reader on %s, and words the others as changes, in %s', async (tier, language) => {
    const { current, manage, included, tier: names, switch: change } = await words(language, 'plans')
    const page = await site.visit({ language })
    const state = await openDouble(page, site.url, language)
    state.stats = { current_tier: tier, current_status: 'active', remaining_credits: 30, total_credits: 60 }
    await page.goto(`${site.url}${language === 'zh' ? '/zh' : ''}/`)
    const plan = (of: string) => page.locator(`#plans [data-tier="${of}"]`)
    const link = (of: string) => plan(of).locator(':scope > a')
    await plan(tier).getByRole('heading').getByText(current).waitFor()
    await expect.poll(() => page.locator('#plans .plan-current').count()).toBe(1)
    // The current plan cannot be bought again.
    await expect.poll(() => link(tier).getAttribute('data-plan')).toBeNull()
    await expect.poll(() => link(tier).getAttribute('href')).toMatch(/\/profile#subscription$/)
    await expect.poll(() => link(tier).textContent()).toBe(tier === 'free' ? current : manage)
    if (tier === 'free') await expect.poll(() => link('pro').getAttribute('data-plan')).toBe('pro')
    else {
      await expect.poll(() => link('free').textContent()).toBe(included)
      await expect.poll(() => link('pro').textContent()).toBe(change.replace('{{plan}}', names.pro.name))
    }
    await page.context().close()
  })
})
