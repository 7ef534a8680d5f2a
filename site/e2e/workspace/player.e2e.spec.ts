import { expect, it } from 'vitest'
import { sampled } from '#backend/testing/sampled.ts'
import { axeFaults } from '../testing/axeFaults.ts'
import { chooseInMenu } from '../testing/chooseInMenu.ts'
import { describeOnSite } from '../testing/onSite.ts'
import { words } from '../testing/walkJourney.ts'
import { openDouble, openTask, taskOf } from '../testing/workspaceDouble.ts'

describeOnSite('the player', (site) => {
  it.each(
    sampled([
      ['en', 1280],
      ['zh', 320],
    ] as const),
  )('steps through the videos and has all their actions, in %s at %i px', async (language, width) => {
    const { task, confirm, form } = await words(language, 'workspace')
    const page = await site.visit({ language, width })
    const state = await openDouble(page, site.url, language)
    state.tasks = [taskOf('a'), openTask('open', 'Queueing'), taskOf('b'), openTask('failed', 'Fail'), taskOf('c')]
    await page.goto(`${site.url}${language === 'zh' ? '/zh' : ''}/workspace`)
    await page.locator('[data-task="a"]').getByRole('button', { name: task.play }).click()
    const dialog = page.locator('dialog[open]')
    const shown = () => dialog.locator('video').getAttribute('src')
    const video = (id: string) => `/api/v1/videos/preview/${id}`
    const button = (name: string) => dialog.getByRole('button', { name, exact: true })
    await expect.poll(shown).toBe(video('a'))
    await button(task.next).click()
    await expect.poll(shown).toBe(video('b'))
    await page.keyboard.press('ArrowRight')
    await expect.poll(shown).toBe(video('c'))
    await page.keyboard.press('ArrowRight')
    await expect.poll(shown).toBe(video('a'))
    await page.keyboard.press('ArrowLeft')
    await expect.poll(shown).toBe(video('c'))
    expect(await axeFaults(page, 'dialog[open]')).toEqual([])
    expect(await dialog.evaluate((element) => element.scrollWidth - element.clientWidth)).toBe(0)

    const again = task.again_other.replace('{{count}}', '30')
    await button(task.refresh).waitFor()
    await button(task.more).click()
    await expect.poll(() => dialog.getByRole('menuitem').allTextContents()).toEqual([again, task.continue, task.remix])
    await page.keyboard.press('Escape')
    await expect.poll(() => dialog.getByRole('menu').count()).toBe(0)
    await expect.poll(() => dialog.getByRole('link', { name: task.download }).count()).toBe(1)
    await button(task.delete).click()
    await button(confirm.deleteYes).click()
    await expect.poll(() => page.locator('[data-task="c"]').count()).toBe(0)
    await expect.poll(() => dialog.count()).toBe(0)

    await page.locator('[data-task="b"]').getByRole('button', { name: task.play }).click()
    await chooseInMenu(dialog, task.more, task.remix)
    await expect.poll(() => dialog.count()).toBe(0)
    const prompt = page.getByRole('textbox', { name: form.prompt })
    await expect.poll(() => prompt.inputValue()).toBe('A lighthouse by the sea b')
    await expect.poll(() => prompt.evaluate((box) => box === document.activeElement)).toBe(true)
    await page.context().close()
  })

  it('does not share a video again while its share ends', async () => {
    const [texts, { task }] = [await words('en', 'share'), await words('en', 'workspace')]
    const page = await site.visit({ language: 'en' })
    const state = await openDouble(page, site.url, 'en')
    state.tasks = [taskOf('a')]
    const share = { url: `${site.url}/v/a`, show_prompt: false, show_name: false, views: 0 }
    const changes: string[] = []
    let end = () => {}
    const ended = new Promise<void>((resolve) => {
      end = resolve
    })
    await page.route('**/videos/tasks/a/share', async (route) => {
      const method = route.request().method()
      if (method === 'GET') return route.fulfill({ json: { share } })
      changes.push(method)
      if (method === 'POST') return route.fulfill({ status: 201, json: share })
      await ended
      return route.fulfill({ status: 204 })
    })
    await page.goto(`${site.url}/workspace`)
    await page.locator('[data-task="a"]').getByRole('button', { name: task.play }).click()
    const dialog = page.locator('dialog[open]')
    await dialog.getByRole('button', { name: texts.end }).click()
    await dialog.getByLabel(texts.showPrompt).click()
    end()
    await dialog.getByText(texts.off).waitFor()
    expect(changes).toEqual(['DELETE'])
    await page.context().close()
  })

  it('offers to load the share of a video again', async () => {
    const [texts, { action }, { task }] = [
      await words('en', 'share'),
      await words('en', 'common'),
      await words('en', 'workspace'),
    ]
    const page = await site.visit({ language: 'en' })
    const state = await openDouble(page, site.url, 'en')
    state.tasks = [taskOf('a')]
    let isDown = true
    await page.route('**/videos/tasks/a/share', (route) =>
      isDown ? route.fulfill({ status: 503, json: {} }) : route.fulfill({ json: { share: null } }),
    )
    await page.goto(`${site.url}/workspace`)
    await page.locator('[data-task="a"]').getByRole('button', { name: task.play }).click()
    const dialog = page.locator('dialog[open]')
    await dialog.getByText(texts.failed).waitFor()
    isDown = false
    await dialog.getByRole('button', { name: action.retry }).click()
    await dialog.getByText(texts.off).waitFor()
    await page.context().close()
  })

  it('stays in place when it learns that a video is not shared', async () => {
    const [texts, { task }] = [await words('en', 'share'), await words('en', 'workspace')]
    const page = await site.visit({ language: 'en', width: 390 })
    const state = await openDouble(page, site.url, 'en')
    state.tasks = [taskOf('a')]
    let answer = () => {}
    const asked = new Promise<void>((resolve) => {
      answer = resolve
    })
    await page.route('**/videos/tasks/a/share', async (route) => {
      await asked
      await route.fulfill({ json: { share: null } })
    })
    await page.goto(`${site.url}/workspace`)
    await page.locator('[data-task="a"]').getByRole('button', { name: task.play }).click()
    const dialog = page.locator('dialog[open]')
    const height = () => dialog.evaluate((element) => element.scrollHeight)
    await dialog.locator('.details').waitFor()
    const before = await height()
    answer()
    await dialog.getByRole('button', { name: texts.start, exact: true }).waitFor()
    expect(await height()).toBe(before)
    await page.context().close()
  })

  it('fits a title without spaces, and so does the question before a deletion', async () => {
    const { task } = await words('en', 'workspace')
    const page = await site.visit({ language: 'en', width: 320 })
    const state = await openDouble(page, site.url, 'en')
    state.tasks = [taskOf('a', { prompt: 'x'.repeat(200) })]
    await page.goto(`${site.url}/workspace`)
    await page.locator('[data-task="a"]').getByRole('button', { name: task.play }).click()
    expect((await page.locator('.dialog-head .icon-button').boundingBox())!.width).toBe(44)
    await page.locator('dialog[open]').getByRole('button', { name: task.delete }).click()
    const body = page.locator('dialog[open] .dialog-body')
    expect(await body.evaluate((element) => element.scrollWidth - element.clientWidth)).toBe(0)
    await page.context().close()
  })
})
