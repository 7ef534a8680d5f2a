import type { Page, Route } from 'playwright'
import { expect, it } from 'vitest'
import { openMoneyDouble } from '../testing/moneyDouble.ts'
import { describeOnSite } from '../testing/onSite.ts'
import { words } from '../testing/walkJourney.ts'

describeOnSite('a change of the account whose answer is slow', (site) => {
  const open = async (tab: string, call: string) => {
    const page = await site.visit({ language: 'en' })
    const { server } = await openMoneyDouble(page, site.url, 'en')
    const held: Route[] = []
    server.rare.set(call, (route) => void held.push(route))
    await page.goto(`${site.url}/profile/${tab}`)
    const button = (name: string) => page.getByRole('button', { name, exact: true })
    return { page, held, button, dialog: page.locator('dialog[open]') }
  }
  const tryToLeave = async (page: Page) => {
    await page.keyboard.press('Escape')
    await page.keyboard.press('Escape')
    await page.mouse.click(5, 5)
    await page.keyboard.press('Enter')
  }

  it('keeps the question of a deletion open, and asks again after a failure', async () => {
    const { delete: t } = await words('en', 'profile')
    const { page, held, button, dialog } = await open('settings', 'POST /users/delete')
    await button(t.open).click()
    await dialog.getByLabel(t.password, { exact: true }).fill('correct horse')
    await page.keyboard.press('Enter')
    await expect.poll(() => held.length).toBe(1)
    await expect.poll(() => dialog.getByRole('button', { name: 'Cancel', exact: true }).isDisabled()).toBe(true)
    await tryToLeave(page)
    await expect.poll(() => dialog.count()).toBe(1)
    expect(held.length).toBe(1)
    await held[0]!.fulfill({ status: 500, json: {} })
    await dialog.locator('.form-problem .notice').waitFor()
    await page.keyboard.press('Escape')
    await dialog.waitFor({ state: 'detached' })
    await page.context().close()
  })

  it('keeps the question of a cancellation open', async () => {
    const { cancel: t } = await words('en', 'subscription')
    const { page, held, button, dialog } = await open('billing', 'POST /subscriptions/cancel')
    await button(t.open).click()
    await dialog.getByRole('button', { name: t.confirm, exact: true }).click()
    await expect.poll(() => held.length).toBe(1)
    await expect.poll(() => button(t.keep).isDisabled()).toBe(true)
    await tryToLeave(page)
    await expect.poll(() => dialog.count()).toBe(1)
    expect(held.length).toBe(1)
    await held[0]!.fulfill({ json: { success: true } })
    await dialog.waitFor({ state: 'detached' })
    await page.context().close()
  })

  it('keeps the keyboard focus near a password that was changed', async () => {
    const { password: t } = await words('en', 'profile')
    const { page, held, button } = await open('security', 'PUT /users/password')
    for (const label of [t.next, t.confirm]) await page.getByLabel(label, { exact: true }).fill('a better horse')
    await page.getByLabel(t.current, { exact: true }).fill('correct horse')
    await button(t.submit).press('Enter')
    await expect.poll(() => held.length).toBe(1)
    await held[0]!.fulfill({ json: { message: '' } })
    await page.locator('.toast', { hasText: t.done }).waitFor()
    await expect.poll(() => page.locator('h3:focus').textContent()).toBe(t.heading)
    await page.context().close()
  })
})
