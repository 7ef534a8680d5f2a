import { expect, it } from 'vitest'
import { sampled } from '#backend/testing/sampled.ts'
import { describeOnSite } from '../testing/onSite.ts'
import { words } from '../testing/walkJourney.ts'
import { openDouble, openTask, picture, taskOf } from '../testing/workspaceDouble.ts'

/** Screen readers announce only changes of a region that was rendered before. */
describeOnSite('a live region', (site) => {
  it.each(sampled(['/', '/workspace']))('of the toasts is rendered before the first one, on %s', async (path) => {
    const page = await site.visit({ language: 'en' })
    if (path !== '/') await openDouble(page, site.url, 'en')
    await page.goto(site.url + path)
    await expect.poll(() => page.locator('#toasts').evaluate((region) => region.matches(':popover-open'))).toBe(true)
    await expect.poll(() => page.locator('.toast').count()).toBe(0)
    await page.context().close()
  })

  it('of the toasts is in the open dialog, and survives its end', async () => {
    const { task, news } = await words('en', 'workspace')
    const { action } = await words('en', 'common')
    const page = await site.visit({ language: 'en' })
    const state = await openDouble(page, site.url, 'en')
    state.tasks = [taskOf('a'), openTask('b', 'Processing'), openTask('c', 'Processing')]
    await page.goto(`${site.url}/workspace`)
    await page.locator('[data-task="a"]').getByRole('button', { name: task.delete }).last().click()
    const dialog = page.locator('dialog[open]')
    await expect.poll(() => state.sockets.length).toBeGreaterThan(0)
    const finish = (id: string) => state.sockets.at(-1)!.send(JSON.stringify({ type: 'task_update', task: taskOf(id) }))
    finish('b')
    const toast = dialog.locator('.toast', { hasText: news.Success })
    await toast.getByRole('button', { name: action.close }).click()
    await toast.waitFor({ state: 'detached' })
    finish('c')
    await toast.waitFor()
    await page.keyboard.press('Escape')
    await dialog.waitFor({ state: 'detached' })
    await page.locator('body > #toasts').getByText(news.Success).waitFor()
    await page.context().close()
  })

  it('of a first frame is rendered before it says that the image is ready', async () => {
    const { form, image } = await words('en', 'workspace')
    const page = await site.visit({ language: 'en' })
    await openDouble(page, site.url, 'en')
    await page.goto(`${site.url}/workspace`)
    await page.getByRole('tab', { name: form.image }).click()
    const field = page.locator('.field', { has: page.locator('#first-frame') })
    const region = await field.getByRole('status').elementHandle()
    const file = { name: 'a.jpg', mimeType: 'image/jpeg', buffer: picture(640, 360) }
    await page.locator('#first-frame').setInputFiles(file)
    await page.getByText(image.ready).waitFor()
    await expect.poll(() => region!.textContent()).toBe(image.ready)
    await page.context().close()
  })

  it('below the form is rendered while it says nothing', async () => {
    const page = await site.visit({ language: 'en' })
    await openDouble(page, site.url, 'en')
    await page.goto(`${site.url}/workspace`)
    const note = page.locator('#generate-note')
    await note.waitFor({ state: 'attached' })
    expect(await note.evaluate((region) => [region.textContent, getComputedStyle(region).display])).toEqual([
      '',
      'block',
    ])
    await page.context().close()
  })
})
