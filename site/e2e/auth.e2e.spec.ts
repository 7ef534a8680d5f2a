import type { Page, Route } from 'playwright'
import { expect, it } from 'vitest'
import { holdClock } from './testing/heldClock.ts'
import { languagesInTurn } from './testing/languagesInTurn.ts'
import { describeOnSite } from './testing/onSite.ts'
import { words } from './testing/walkJourney.ts'

type Language = 'en' | 'zh'
const PASSWORD = 'correct horse'

const answer = (status: number, body: object) => (route: Route) => route.fulfill({ status, json: body })

/** The account forms of one language, located by their visible text. */
async function forms(page: Page, url: string, language: Language) {
  const [auth, errors] = [await words(language, 'auth'), await words(language, 'errors')]
  const at = (path: string) => `${url}${language === 'zh' ? '/zh' : ''}${path}`
  const fill = (label: string, text: string) => page.getByLabel(label, { exact: true }).fill(text)
  const press = (name: string) => page.locator('main').getByRole('button', { name, exact: true }).click()
  return {
    auth,
    errors,
    at,
    open: (path: string) => page.goto(at(path)),
    /** Replaces the next response of an endpoint. */
    next: (path: string, reply: (route: Route) => unknown) =>
      page.route(`**/api/v1${path}`, reply as (route: Route) => Promise<void>, { times: 1 }),
    async logIn(email: string, password = PASSWORD) {
      await fill(auth.field.email, email)
      await fill(auth.field.password, password)
      await press(auth.login.submit)
    },
    async register(values: { name?: string; email?: string; password?: string; confirm?: string }) {
      const {
        name = 'Ada Lovelace',
        email = `${Date.now()}@kinora.test`,
        password = PASSWORD,
        confirm = password,
      } = values
      await fill(auth.field.name, name)
      await fill(auth.field.email, email)
      await fill(auth.field.password, password)
      await fill(auth.field.confirm, confirm)
      await press(auth.register.submit)
    },
    async requestReset(email: string) {
      await fill(auth.field.email, email)
      await press(auth.reset.request)
    },
    async setPassword(password = 'a better horse', confirm = password) {
      await fill(auth.reset.password, password)
      await fill(auth.reset.confirm, confirm)
      await press(auth.reset.submit)
    },
    press,
    shows: (text: string) => page.getByText(text, { exact: true }).first().waitFor(),
  }
}

describeOnSite('the account pages', (site) => {
  const visit = async (language: Language) => {
    const page = await site.visit({ language })
    return { page, ...(await forms(page, site.url, language)) }
  }

  it.each(languagesInTurn())('explain why a sign-in fails (%s)', async (language) => {
    const { page, auth, errors, open, next, logIn, press, shows } = await visit(language)
    await open('/auth/login')
    await press(auth.login.submit)
    await expect.poll(() => page.getByText(errors.required, { exact: true }).count()).toBe(2)
    await logIn('nobody', 'short')
    await shows(errors.invalid_email)
    await shows(errors.password_too_short)
    await logIn('nobody@kinora.test')
    await shows(errors.invalid_credentials)
    await next('/auth/login', (route) => route.abort())
    await logIn('nobody@kinora.test')
    await shows(errors.network)
    await next('/auth/login', answer(200, {}))
    await logIn('nobody@kinora.test')
    await shows(auth.login.noUser)
    await next('/auth/login', answer(429, { code: 'too_many_requests', detail: 'x' }))
    await logIn('nobody@kinora.test')
    await shows(errors.too_many_requests)
    // An unknown code shows the server's message, or the page's general one.
    await next('/auth/login', answer(409, { code: 'never_heard_of', detail: 'The moon is in the way.' }))
    await logIn('nobody@kinora.test')
    await shows('The moon is in the way.')
    await next('/auth/login', answer(400, {}))
    await logIn('nobody@kinora.test')
    await shows(errors.unknown)
    await page.context().close()
  })

  it.each(languagesInTurn())('say for eight seconds that an address is not verified (%s)', async (language) => {
    const { page, auth, open, logIn } = await visit(language)
    const email = `unverified.${language}@kinora.test`
    const headers = { 'content-type': 'application/json' }
    const body = JSON.stringify({ email, password: PASSWORD, username: 'Un Verified' })
    await fetch(`${site.url}/api/v1/auth/register`, { method: 'POST', headers, body })
    await holdClock(page)
    await open('/auth/login')
    await logIn(email)
    const toast = page.locator('.toast', { hasText: auth.login.notVerified })
    await toast.waitFor()
    await page.clock.runFor(7_900)
    await expect.poll(() => toast.count()).toBe(1)
    await page.clock.runFor(100)
    await expect.poll(() => toast.count()).toBe(0)
    await page.context().close()
  })

  it.each(languagesInTurn())('explain why a registration fails (%s)', async (language) => {
    const { page, auth, errors, open, next, register, press, shows } = await visit(language)
    await open('/auth/register')
    await press(auth.register.submit)
    await expect.poll(() => page.getByText(errors.required, { exact: true }).count()).toBe(4)
    await register({ name: 'A', email: 'ada@kinora', password: 'short', confirm: 'shorter' })
    for (const code of ['name_too_short', 'invalid_email', 'password_too_short']) await shows(errors[code])
    await register({ confirm: 'something else' })
    await shows(errors.passwords_differ)
    await register({ password: 'password1' })
    await shows(errors.password_common)
    await register({ password: 'kinora2026' })
    await shows(errors.password_personal)
    await register({ email: 'ada@mailinator.com' })
    await shows(errors.email_disposable)
    await register({ email: (await site.newUser()).email })
    await shows(errors.email_already_registered)
    await next('/auth/register', (route) => route.abort())
    await register({})
    await shows(errors.network)
    await next('/auth/register', answer(400, {}))
    await register({})
    await shows(auth.register.failed)
    await page.getByLabel(auth.field.password, { exact: true }).fill('correct horse battery')
    await shows(auth.field.strength.replace('{{level}}', auth.field.strong))
    await page
      .getByRole('button', { name: (await words(language, 'common')).password.show })
      .first()
      .click()
    await expect.poll(() => page.getByLabel(auth.field.password, { exact: true }).getAttribute('type')).toBe('text')
    await page.context().close()
  })

  it.each(languagesInTurn())('send the verification mail again, or explain why not (%s)', async (language) => {
    const { page, auth, errors, at, open, next, press, shows } = await visit(language)
    await open('/auth/email-verification-pending?email=ada@kinora.test')
    await shows('ada@kinora.test')
    await press(auth.pending.resend)
    await shows(auth.pending.resent)
    await next('/auth/resend-verification', answer(500, {}))
    await press(auth.pending.resend)
    await shows(auth.pending.resendFailed)
    await next('/auth/resend-verification', answer(429, { code: 'too_many_requests' }))
    await press(auth.pending.resend)
    await shows(errors.too_many_requests)
    for (const [name, path] of [
      [auth.pending.toLogin, '/auth/login'],
      [auth.pending.registerAgain, '/auth/register'],
    ])
      await expect
        .poll(() => page.getByRole('link', { name, exact: true }).getAttribute('href'))
        .toBe(new URL(at(path)).pathname)
    await open('/auth/email-verification-pending')
    await shows(auth.pending.missingEmail)
    await page.waitForURL(at('/auth/register'))
    await page.context().close()
  })

  it.each(languagesInTurn())('say whether an address is verified (%s)', async (language) => {
    const { page, auth, errors, open, next, press, shows } = await visit(language)
    const { retry } = (await words(language, 'common')).action
    await open('/verify-email')
    await shows(auth.verify.missingToken)
    let release = () => {}
    await next('/auth/verify-email', async (route) => {
      await new Promise<void>((resolve) => {
        release = resolve
      })
      await answer(200, { message: '', credits_granted: true })(route)
    })
    await open('/verify-email?token=good&email=ada@kinora.test')
    // A mail scanner that runs the page does not spend the link.
    await shows(auth.verify.askHeading)
    await press(auth.verify.ask)
    await shows(auth.verify.verifyingHeading)
    release()
    await shows(auth.verify.successHeading)
    await shows(auth.verify.successText)
    await next('/auth/verify-email', answer(200, { message: '', credits_granted: false }))
    const register = () => page.evaluate(() => localStorage.setItem('kinora.registered', 'ada@kinora.test'))
    await register()
    await open('/verify-email?token=again&email=Ada@kinora.test')
    await shows(auth.verify.successAgain)
    await register()
    await next('/auth/verify-email', answer(422, { code: 'already_verified' }))
    await open('/verify-email?token=used&email=ada@kinora.test')
    await shows(auth.verify.alreadyHeading)
    await open('/verify-email?token=old&email=ada@kinora.test')
    await shows(auth.verify.failedHeading)
    await shows(auth.verify.failedText)
    await page.getByRole('link', { name: auth.verify.loginNow }).waitFor()
    await press(auth.pending.resend)
    await shows(auth.pending.resent)
    await page.getByRole('link', { name: auth.pending.registerAgain }).waitFor()
    await next('/auth/verify-email', (route) => route.abort())
    await open('/verify-email?token=unreached&email=ada@kinora.test')
    await shows(errors.network)
    await next('/auth/verify-email', answer(200, { message: '', credits_granted: true }))
    await press(retry)
    await expect.poll(() => page.locator('h1:focus').textContent()).toBe(auth.verify.successHeading)
    await page.context().close()
  })

  it.each(languagesInTurn())('explain why a password is not reset (%s)', async (language) => {
    const { page, auth, errors, open, next, requestReset, setPassword, shows } = await visit(language)
    for (const path of ['/auth/forgot-password', '/auth/reset-password', '/reset-password']) {
      await open(path)
      await shows(auth.reset.requestHeading)
      await expect.poll(() => page.getByText(auth.reset.missingToken).count()).toBe(path.includes('forgot') ? 0 : 1)
    }
    await requestReset('nobody')
    await shows(errors.invalid_email)
    await next('/auth/forgot-password', answer(500, {}))
    await requestReset('nobody@kinora.test')
    await shows(auth.reset.requestFailed)
    await requestReset('nobody@kinora.test')
    await shows(auth.reset.sentHeading)
    for (const path of ['/auth/forgot-password', '/auth/reset-password', '/reset-password']) {
      await open(`${path}?token=old`)
      await shows(auth.reset.heading)
    }
    await setPassword('short', 'other')
    await shows(errors.password_too_short)
    await setPassword('a better horse', 'a worse horse')
    await shows(errors.passwords_differ)
    await setPassword()
    await shows(auth.reset.linkRefused)
    await page.getByRole('link', { name: auth.reset.newLink }).waitFor()
    await next('/auth/reset-password', answer(500, {}))
    await setPassword()
    await shows(auth.reset.failed)
    await page.context().close()
  })
})
