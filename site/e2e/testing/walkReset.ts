import type { Browser } from 'playwright'
import { registerUser } from '#backend/testing/testUser.ts'
import { mailedLink } from './mailedLink.ts'
import { words } from './walkJourney.ts'

/** Requests a password reset, sets a new password and signs in with it. */
export async function walkReset(browser: Browser, url: string, language: 'en' | 'zh'): Promise<void> {
  const { email } = await registerUser(url, `forgot.${language}.${Date.now()}@kinora.test`)
  const { field, login, reset, verify } = await words(language, 'auth')
  const context = await browser.newContext({ locale: language === 'zh' ? 'zh-CN' : 'en-US' })
  const page = await context.newPage()
  await page.goto(`${url}/auth/login`)
  await page.getByRole('link', { name: login.forgot }).click()
  await page.getByLabel(field.email, { exact: true }).fill(email)
  await page.getByRole('button', { name: reset.request, exact: true }).click()
  await page.getByRole('heading', { name: reset.sentHeading }).waitFor()
  await page.goto(await mailedLink(url, email, /https?:\S+reset-password\S+/))
  await page.getByLabel(reset.password, { exact: true }).fill('a better horse')
  await page.getByLabel(reset.confirm, { exact: true }).fill('a better horse')
  await page.getByRole('button', { name: reset.submit, exact: true }).click()
  await page.getByRole('heading', { name: reset.doneHeading }).waitFor()
  await page.getByRole('link', { name: verify.loginNow }).click()
  await page.getByLabel(field.email, { exact: true }).fill(email)
  await page.getByLabel(field.password, { exact: true }).fill('a better horse')
  await page.locator('main').getByRole('button', { name: login.submit, exact: true }).click()
  await page.waitForURL('**/workspace')
  await context.close()
}
