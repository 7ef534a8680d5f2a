import type { Locator } from 'playwright'
import { expect, it } from 'vitest'
import { openMoneyDouble } from '../testing/moneyDouble.ts'
import { describeOnSite } from '../testing/onSite.ts'
import { words } from '../testing/walkJourney.ts'
import { openDouble, openTask, taskOf } from '../testing/workspaceDouble.ts'

const SHARE = { url: 'https://kinora.test/v/1', show_prompt: false, show_name: false, views: 0 }

describeOnSite('when a dialog changes what is under it, the focus', (site) => {
  const hasFocus = (target: Locator) =>
    expect.poll(() => target.evaluate((element) => element === document.activeElement)).toBe(true)

  it('goes from the cancellation of a plan to the way back', async () => {
    const { cancel, reactivate } = await words('en', 'subscription')
    const page = await site.visit({ language: 'en' })
    await openMoneyDouble(page, site.url, 'en')
    await page.goto(`${site.url}/profile/billing`)
    const panel = page.locator('#subscription')
    await panel.getByRole('button', { name: cancel.open }).press('Enter')
    await page.locator('dialog[open]').getByRole('button', { name: cancel.confirm }).press('Enter')
    await page.locator('dialog[open]').waitFor({ state: 'detached' })
    await hasFocus(panel.getByRole('button', { name: reactivate }))
    await page.context().close()
  })

  it('goes to the address of a new share, and back to the offer when the share ends', async () => {
    const { share, task } = { share: await words('en', 'share'), ...(await words('en', 'workspace')) }
    const page = await site.visit({ language: 'en' })
    const state = await openDouble(page, site.url, 'en')
    state.tasks = [taskOf('a')]
    state.rare.set('GET /videos/tasks/a/share', (route) => route.fulfill({ json: { share: null } }))
    state.rare.set('POST /videos/tasks/a/share', (route) => route.fulfill({ status: 201, json: SHARE }))
    state.rare.set('DELETE /videos/tasks/a/share', (route) => route.fulfill({ status: 204 }))
    await page.goto(`${site.url}/workspace`)
    await page.locator('[data-task="a"]').getByRole('button', { name: task.play, exact: true }).last().click()
    const dialog = page.locator('dialog[open]')
    await dialog.getByRole('button', { name: share.start, exact: true }).press('Enter')
    await hasFocus(dialog.locator('.share-address'))
    await dialog.getByRole('button', { name: share.end, exact: true }).press('Enter')
    await hasFocus(dialog.getByRole('button', { name: share.start, exact: true }))
    await page.context().close()
  })

  it('stays in the plans while a place in the queue opens, then goes to Generate', async () => {
    const { form, plans } = await words('en', 'workspace')
    const page = await site.visit({ language: 'en' })
    const state = await openDouble(page, site.url, 'en')
    state.tasks = [openTask('a', 'Queueing'), openTask('b', 'Processing')]
    state.stats = { current_tier: 'free', current_status: 'active', remaining_credits: 60, total_credits: 120 }
    await page.goto(`${site.url}/workspace`)
    await page.locator('#generate-note').getByRole('link', { name: form.plans }).press('Enter')
    const sheet = page.getByRole('dialog', { name: plans.heading })
    await sheet.waitFor()
    await expect.poll(() => state.sockets.length).toBeGreaterThan(0)
    state.sockets.at(-1)!.send(JSON.stringify({ type: 'task_update', task: taskOf('b') }))
    await page.locator('#generate-note:empty').waitFor({ state: 'attached' })
    await expect.poll(() => sheet.isVisible()).toBe(true)
    await page.keyboard.press('Escape')
    await hasFocus(page.locator('.generate-line [type=submit]'))
    await page.context().close()
  })
})
