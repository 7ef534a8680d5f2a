import type { Page } from 'playwright'
import { expect, it } from 'vitest'
import { describeOnSite } from '../testing/onSite.ts'
import { words } from '../testing/walkJourney.ts'

/** Counts the calls of a path, and lets no other page open, as on a slow line. */
async function onSlowLine(page: Page, path: string) {
  const state = { calls: 0 }
  page.on('request', (request) => {
    if (new URL(request.url()).pathname === `/api/v1${path}`) state.calls += 1
  })
  await page.route('**/*', (route) =>
    route.request().isNavigationRequest() ? route.fulfill({ status: 204 }) : route.fallback(),
  )
  return state
}

describeOnSite('a form whose next page opens slowly', (site) => {
  it('signs in once', async () => {
    const { email } = await site.newUser()
    const { login, field } = await words('en', 'auth')
    const page = await site.visit({ language: 'en' })
    await page.goto(`${site.url}/auth/login`)
    const state = await onSlowLine(page, '/auth/login')
    const submit = page.locator('main').getByRole('button', { name: login.submit, exact: true })
    await page.getByLabel(field.email, { exact: true }).fill(email)
    await page.getByLabel(field.password, { exact: true }).fill('correct horse')
    const left = page.waitForResponse('**/workspace')
    await submit.click()
    await left
    await expect.poll(() => submit.getAttribute('aria-busy')).toBe('true')
    await page.getByLabel(field.password, { exact: true }).press('Enter')
    await submit.click()
    expect(state.calls).toBe(1)
    await page.context().close()
  })

  it('registers once', async () => {
    const { register, field } = await words('en', 'auth')
    const page = await site.visit({ language: 'en' })
    await page.goto(`${site.url}/auth/register`)
    const state = await onSlowLine(page, '/auth/register')
    const submit = page.locator('main').getByRole('button', { name: register.submit, exact: true })
    await page.getByLabel(field.name, { exact: true }).fill('Mary')
    await page.getByLabel(field.email, { exact: true }).fill(`${crypto.randomUUID()}@kinora.test`)
    for (const label of [field.password, field.confirm])
      await page.getByLabel(label, { exact: true }).fill('correct horse')
    const left = page.waitForResponse('**/auth/email-verification-pending*')
    await submit.click()
    await left
    await expect.poll(() => submit.getAttribute('aria-busy')).toBe('true')
    await submit.click()
    expect(state.calls).toBe(1)
    await page.context().close()
  })
})

describeOnSite('the sign-out', (site) => {
  it('is sent once, and shows that it runs', async () => {
    const page = await site.visit({ language: 'en', user: await site.newUser() })
    let calls = 0
    await page.route('**/api/v1/auth/logout', () => {
      calls += 1
    })
    await page.goto(`${site.url}/profile`)
    await page.locator('#works .empty').waitFor()
    await page.locator('.avatar').click()
    const button = page.locator('#account-menu [data-logout]')
    await button.dblclick()
    await expect.poll(() => button.getAttribute('aria-busy')).toBe('true')
    await expect.poll(() => calls).toBeGreaterThan(0)
    expect(calls).toBe(1)
    await page.context().close()
  })
})
