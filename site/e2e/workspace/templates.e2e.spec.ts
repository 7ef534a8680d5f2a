import { expect, it } from 'vitest'
import { sampled } from '#backend/testing/sampled.ts'
import { axeFaults } from '../testing/axeFaults.ts'
import { describeOnSite } from '../testing/onSite.ts'
import { words } from '../testing/walkJourney.ts'
import { openDouble, taskOf } from '../testing/workspaceDouble.ts'

describeOnSite('templates and prompts', (site) => {
  const home = (language: string) => `${site.url}${language === 'zh' ? '/zh' : ''}`

  it.each(
    sampled([
      ['en', 'A red fox walks through a snowy forest at dawn', '[Truck left]', 'A panda'],
      ['zh', '黎明，一只红色的狐狸走在下雪的森林里', '[左移]', '一只熊猫'],
    ] as const),
  )(
    'fills prompt and camera from one of six moving thumbnails, and its slot, in %s',
    async (language, text, camera, own) => {
      const { stage } = await words(language, 'workspace')
      const page = await site.visit({ language })
      await openDouble(page, site.url, language)
      await page.goto(`${home(language)}/workspace`)
      const tiles = page.getByRole('list', { name: stage.ideas, exact: true }).getByRole('button')
      await expect.poll(() => tiles.count()).toBe(6)
      // Chromium without H.264 plays none of them.
      const clips = await tiles.locator('video').evaluateAll((all) => all.map((clip) => (clip as HTMLVideoElement).src))
      for (const clip of clips) expect((await fetch(clip)).headers.get('content-type')).toBe('video/mp4')
      await tiles.first().click()
      const prompt = page.locator('#prompt')
      await expect.poll(() => prompt.inputValue()).toBe(`${text} ${camera}`)
      await page.locator('.template-slots input').fill(own)
      await expect.poll(() => prompt.inputValue()).toContain(own)
      await expect.poll(() => prompt.inputValue()).toContain(camera)
      expect(await axeFaults(page, 'main')).toEqual([])
      await prompt.fill('Something else')
      await expect.poll(() => page.locator('.template-slots').count()).toBe(0)
      await page.context().close()
    },
  )

  it('offers all templates in the library, and opens the workspace with the chosen one', async () => {
    const { templates } = await words('en', 'common')
    const page = await site.visit({ language: 'en', user: await site.newUser() })
    await page.goto(`${home('en')}/library`)
    await page.getByRole('button', { name: templates.heading, exact: true }).click()
    const tiles = page.getByRole('dialog').locator('.template')
    await expect.poll(() => tiles.count()).toBe(24)
    expect(await axeFaults(page, 'dialog')).toEqual([])
    await tiles.nth(23).click()
    await page.waitForURL(/workspace/)
    await expect.poll(() => page.locator('#prompt').inputValue()).toContain('astronaut')
    expect(new URL(page.url()).search).toBe('')
    await page.context().close()
  })

  it('shows six on the landing page, which fill prompt and camera', async () => {
    const page = await site.visit({ language: 'en' })
    await page.goto(home('en'))
    const tiles = page.locator('#templates .template')
    await expect.poll(() => tiles.count()).toBe(6)
    await tiles.first().click()
    await expect.poll(() => page.locator('#start-prompt').inputValue()).toContain('red fox')
    await expect.poll(() => page.locator('#start [data-chips]').textContent()).toBe('Truck left')
    await page.context().close()
  })

  it('has Generate within ten Tabs of the prompt', async () => {
    const page = await site.visit({ language: 'en' })
    await openDouble(page, site.url, 'en')
    await page.goto(`${home('en')}/workspace`)
    await page.locator('#prompt').focus()
    const isThere = () => page.evaluate(() => document.activeElement?.matches('.generate-bar [type=submit]'))
    let tabs = 0
    for (; tabs < 20 && !(await isThere()); tabs++) await page.keyboard.press('Tab')
    expect(tabs).toBeLessThanOrEqual(10)
    await page.context().close()
  })

  it('makes a film of each line at the price of all, and finds earlier prompts', async () => {
    const { form, prompts } = await words('en', 'workspace')
    const page = await site.visit({ language: 'en' })
    const state = await openDouble(page, site.url, 'en')
    state.tasks = [taskOf('old', { prompt: 'A fox in the snow' }), taskOf('older', { prompt: 'A fox in the snow' })]
    await page.goto(`${home('en')}/workspace`)
    await page.getByRole('button', { name: prompts.short, exact: true }).click()
    const earlier = page.getByRole('dialog').getByRole('listitem').getByRole('button')
    await expect.poll(() => earlier.count()).toBe(1)
    await earlier.click()
    const prompt = page.locator('#prompt')
    await expect.poll(() => prompt.inputValue()).toBe('A fox in the snow')
    await prompt.fill('A fox in the snow\n\nA cat on a table')
    await page.getByRole('switch', { name: prompts.byLine.replace('{{count}}', '2') }).check()
    const submit = page.locator('.generate-bar [type=submit]')
    await expect.poll(() => submit.textContent()).toContain(form.cost_other.replace('{{count}}', '60'))
    await submit.click()
    await expect
      .poll(() => state.orders.map((order) => (order as { prompt: string }).prompt))
      .toEqual(['A fox in the snow', 'A cat on a table'])
    await page.context().close()
  })
})
