import type { Page } from 'playwright'
import { expect, it } from 'vitest'
import { mailedLink } from '../testing/mailedLink.ts'
import { describeOnSite } from '../testing/onSite.ts'
import { words } from '../testing/walkJourney.ts'

const ASKED = '/library?q=fox&days=7#main'
const PASSWORD = 'correct horse'

describeOnSite('the page that a visitor asked for', (site) => {
  /** Asks for a private page, and arrives on the login page. */
  const ask = async () => {
    const page = await site.visit({ language: 'en' })
    const { field, login, register, start, verify } = await words('en', 'auth')
    await page.goto(site.url + ASKED)
    await page.waitForURL('**/auth/login?next=*')
    const fill = (label: string, text: string) => page.getByLabel(label, { exact: true }).fill(text)
    const press = (name: string) => page.locator('main').getByRole('button', { name, exact: true }).click()
    const signIn = async (email: string) => {
      await fill(field.email, email)
      await fill(field.password, PASSWORD)
      await press(login.submit)
    }
    return { page, fill, press, signIn, field, login, register, start, verify }
  }
  const opens = async (page: Page) => {
    await expect.poll(() => page.url().slice(site.url.length)).toBe(ASKED)
    await page.context().close()
  }

  it('opens after a sign-in', async () => {
    const { email } = await site.newUser()
    const { page, signIn } = await ask()
    await signIn(email)
    await opens(page)
  })

  it('opens after a sign-up and the verification of the address in another tab', async () => {
    const email = `${crypto.randomUUID()}@kinora.test`
    const { page, fill, press, signIn, field, login, register, verify } = await ask()
    await page.getByRole('link', { name: login.toRegister }).click()
    await fill(field.name, 'Mary')
    await fill(field.email, email)
    for (const label of [field.password, field.confirm]) await fill(label, PASSWORD)
    await press(register.submit)
    await page.waitForURL('**/auth/email-verification-pending*')
    const link = await mailedLink(site.url, email)
    await page.goto('about:blank')
    await page.goto(link)
    await page.getByRole('link', { name: verify.loginNow }).click()
    await signIn(email)
    await opens(page)
  })

  it('opens after a mailed link, once', async () => {
    const { email } = await site.newUser()
    const { page, fill, press, signIn, field, start } = await ask()
    await fill(field.email, email)
    await press(start.continue)
    await page.getByText(email).waitFor()
    await page.goto(await mailedLink(site.url, email))
    await expect.poll(() => page.url().slice(site.url.length)).toBe(ASKED)
    await page.context().clearCookies()
    await page.goto(`${site.url}/auth/login`)
    await signIn(email)
    await page.waitForURL(`${site.url}/workspace`)
    await page.context().close()
  })

  it('is never one of another site', async () => {
    const { email } = await site.newUser()
    const { page, fill, press, field, start } = await ask()
    await page.goto(`${site.url}/auth/login?next=//evil.test/`)
    await fill(field.email, email)
    await press(start.continue)
    await page.getByText(email).waitFor()
    await page.goto(await mailedLink(site.url, email))
    await page.waitForURL(`${site.url}/workspace`)
    await page.context().close()
  })
})
