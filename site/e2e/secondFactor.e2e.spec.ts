import { TOTP } from 'otpauth'
import type { Page, Route } from 'playwright'
import { expect, it } from 'vitest'
import { sampled } from '#backend/testing/sampled.ts'
import { registerUser } from '#backend/testing/testUser.ts'
import { axeFaults } from './testing/axeFaults.ts'
import { holdClock, pass } from './testing/heldClock.ts'
import { languagesInTurn } from './testing/languagesInTurn.ts'
import { describeInBrowser, ENTRY, OPERATOR, startAlone } from './testing/onSite.ts'
import { words } from './testing/walkJourney.ts'

const PASSWORD = 'correct horse'
const STEP_MS = 30_000
const codeOf = (secret: string, stepsAhead = 0) =>
  TOTP.generate({ secret: new TOTP({ secret }).secret, timestamp: Date.now() + stepsAhead * STEP_MS })

/** Gives the page an authenticator that confirms every request, such as a phone with a fingerprint reader. */
async function addAuthenticator(page: Page) {
  const devtools = await page.context().newCDPSession(page)
  await devtools.send('WebAuthn.enable')
  const { authenticatorId } = await devtools.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      protocol: 'ctap2',
      transport: 'internal',
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true,
    },
  })
  const kept = async () => (await devtools.send('WebAuthn.getCredentials', { authenticatorId })).credentials[0]!
  return {
    /** Lets the authenticator refuse or accept its user. */
    verifies: (isUserVerified: boolean) =>
      devtools.send('WebAuthn.setUserVerified', { authenticatorId, isUserVerified }),
    /** Sets the counter of the passkey, as of a copy. Returns the former one. */
    async count(signCount: number): Promise<number> {
      const credential = await kept()
      await devtools.send('WebAuthn.removeCredential', { authenticatorId, credentialId: credential.credentialId })
      await devtools.send('WebAuthn.addCredential', { authenticatorId, credential: { ...credential, signCount } })
      return credential.signCount
    },
  }
}

/** Waits until the operator is signed in, and opens the board: the first sign-in leads to the engines. */
async function board(page: Page, prefix: string): Promise<void> {
  await page.waitForURL(new RegExp(`${prefix}/admin/dashboard(#engines)?$`))
  await page.goto(page.url().replace('#engines', ''))
}

/** Undoes the step-up of the sign-in, which counts for ten minutes, in the browser's answer. */
const requireStepUp = (route: Route) => route.fulfill({ status: 403, json: { code: 'step_up_required' } })

/** The two-step parts of a page, located by their visible text. */
async function twoStep(page: Page, language: 'en' | 'zh') {
  const [{ factors: t }, auth] = [await words(language, 'profile'), await words(language, 'auth')]
  const button = (name: string) => page.getByRole('button', { name, exact: true })
  const fill = (label: string, text: string) => page.getByLabel(label, { exact: true }).fill(text)
  return {
    t,
    auth,
    button,
    fill,
    /** Sets up an authenticator app. Returns its secret and the recovery codes. */
    async setUp(password: string) {
      await button(t.setUp).click()
      await fill(t.password, password)
      await button(t.next).click()
      const secret = (await page.locator('.factor-secret').textContent())!
      await page.getByRole('img', { name: t.qr }).waitFor()
      expect(await axeFaults(page)).toEqual([])
      await fill(t.code, '000000')
      await button(t.turnOn).click()
      await page.getByText((await words(language, 'errors')).wrong_code).waitFor()
      await fill(t.code, codeOf(secret))
      await button(t.turnOn).click()
      await page.getByRole('dialog', { name: t.codesTitle }).waitFor()
      const codes = await page.locator('.factor-codes code').allTextContents()
      expect(codes).toHaveLength(10)
      await button(t.saved).click()
      await page.locator('.factor').getByText(t.on, { exact: true }).waitFor()
      return { secret, codes }
    },
    /** Adds a passkey. Returns the recovery codes. */
    async addPasskey(password: string) {
      await button(t.addPasskey).click()
      await fill(t.passkeyName, 'Virtual phone')
      await fill(t.password, password)
      expect(await axeFaults(page)).toEqual([])
      await button(t.next).click()
      await page.getByRole('dialog', { name: t.codesTitle }).waitFor()
      const codes = await page.locator('.factor-codes code').allTextContents()
      await button(t.saved).click()
      await page.locator('.factor-passkey').getByText('Virtual phone').waitFor()
      return codes
    },
    /** Enters a code in the second step of a sign-in or in the step-up dialog. */
    async enter(code: string) {
      await fill(auth.second.code, code)
      await button(auth.second.submit).click()
    },
  }
}

/**
 * The operator's methods in this run. Both kinds of account have the same dialogs, which the tests of users look at in full.
 * On the server, `operatorFactors.int.spec.ts` proves both.
 */
const METHODS = sampled(['app', 'passkey'])

// A factor of the operator changes the sign-in of other files.
describeInBrowser(
  'a second factor',
  () => startAlone({}, ENTRY),
  (site) => {
    it.each(languagesInTurn())(
      'lets a user sign in with an authenticator app, and turn it off (%s)',
      async (language) => {
        const prefix = language === 'zh' ? '/zh' : ''
        const user = await registerUser(site.url, `factor.${language}.${Date.now()}@kinora.test`)
        await user.call('PUT', '/users/language', { language })
        const page = await site.visit({ language, user })
        const { t, auth, button, fill, setUp, enter } = await twoStep(page, language)
        await page.goto(`${site.url}${prefix}/profile/security`)
        const { secret, codes } = await setUp(PASSWORD)
        const { security } = await words(language, 'profile')
        await page.locator('#security').getByText(security.event.second_factor_added).waitFor()

        await page.context().clearCookies()
        await page.goto(`${site.url}${prefix}/auth/login?next=${prefix}/profile/security`)
        await fill(auth.field.email, user.email)
        await fill(auth.field.password, PASSWORD)
        await page.locator('main').getByRole('button', { name: auth.login.submit, exact: true }).click()
        await page.getByText(auth.second.lead).waitFor()
        expect(await axeFaults(page)).toEqual([])
        await enter('000000')
        await page.getByText((await words(language, 'errors')).wrong_code).waitFor()
        await enter(codeOf(secret, 1))
        await page.waitForURL(`${site.url}${prefix}/profile/security`)

        await page.route('**/api/v1/users/totp', requireStepUp, { times: 1 })
        await button(t.turnOff).click()
        await enter(codes[0]!)
        await page.locator('.factor').getByText(t.off, { exact: true }).waitFor()
        await page.context().close()
      },
    )

    it('keeps new recovery codes on the page if the methods cannot be read again', async () => {
      const user = await registerUser(site.url, `codes.${Date.now()}@kinora.test`)
      const page = await site.visit({ language: 'en', user })
      await holdClock(page)
      const { t, button, fill } = await twoStep(page, 'en')
      await page.goto(`${site.url}/profile/security`)
      await button(t.setUp).click()
      await fill(t.password, PASSWORD)
      await button(t.next).click()
      await fill(t.code, codeOf((await page.locator('.factor-secret').textContent())!))
      await page.route('**/api/v1/users/factors', (route) => route.abort())
      const failed = page.waitForEvent('requestfailed', (request) => request.url().endsWith('/users/factors'))
      await button(t.turnOn).click()
      await failed
      await page.getByText(t.turnedOn).waitFor()
      await pass(page, 1_000)
      await expect.poll(() => page.locator('.factor-codes code').count()).toBe(10)
      await page.context().close()
    })

    it('says that a browser without passkeys cannot add one', async () => {
      const page = await site.visit({ language: 'en', user: await site.newUser() })
      await page.addInitScript(() => Reflect.deleteProperty(window, 'PublicKeyCredential'))
      const { t, button } = await twoStep(page, 'en')
      await page.goto(`${site.url}/profile/security`)
      await page.getByText(t.passkeysMissing).waitFor()
      await expect.poll(() => button(t.addPasskey).isDisabled()).toBe(true)
      await page.context().close()
    })

    it.each(languagesInTurn())(
      'lets a user sign in with a passkey, whose answer and copies are refused (%s)',
      async (language) => {
        const prefix = language === 'zh' ? '/zh' : ''
        const user = await registerUser(site.url, `passkey.${language}.${Date.now()}@kinora.test`)
        await user.call('PUT', '/users/language', { language })
        const page = await site.visit({ language, user })
        const authenticator = await addAuthenticator(page)
        const { t, auth, button, fill, addPasskey, enter } = await twoStep(page, language)
        await page.goto(`${site.url}${prefix}/profile/security`)
        const [code] = await addPasskey(PASSWORD)
        await button(t.addPasskey).click()
        await fill(t.passkeyName, 'Again')
        await fill(t.password, PASSWORD)
        await button(t.next).click()
        await page.getByText(t.passkeyKnown).waitFor()

        await page.context().clearCookies()
        await page.goto(`${site.url}${prefix}/auth/login?next=${prefix}/profile/security`)
        await authenticator.verifies(false)
        await button(auth.second.passkey).click()
        await page.getByText(auth.second.passkeyFailed).waitFor()
        await authenticator.verifies(true)
        const sent = page.waitForRequest('**/api/v1/auth/passkey')
        await button(auth.second.passkey).click()
        const credential = (await sent).postDataJSON() as object
        await page.waitForURL(`${site.url}${prefix}/profile/security`)

        // The answer of the passkey is accepted once, and in no other browser.
        const replay = (headers: Record<string, string>) =>
          page.request.post(`${site.url}/api/v1/auth/passkey`, { data: credential, headers })
        expect((await replay({})).status()).toBe(422)
        const elsewhere = await fetch(`${site.url}/api/v1/auth/passkey`, {
          method: 'POST',
          headers: { 'content-type': 'application/json' },
          body: JSON.stringify(credential),
        })
        expect(elsewhere.status).toBe(422)

        // After the password, the passkey is the second step.
        await page.context().clearCookies()
        await page.goto(`${site.url}${prefix}/auth/login?next=${prefix}/profile/security`)
        await fill(auth.field.email, user.email)
        await fill(auth.field.password, PASSWORD)
        await page.locator('main').getByRole('button', { name: auth.login.submit, exact: true }).click()
        await page.getByText(auth.second.lead).waitFor()
        // A copy of the passkey is behind the counter of the original.
        const counter = await authenticator.count(1)
        await button(auth.second.passkey).click()
        await page.getByText((await words(language, 'errors')).passkey_refused).waitFor()
        await authenticator.count(counter)
        await button(auth.second.passkey).click()
        await page.waitForURL(`${site.url}${prefix}/profile/security`)

        await page.route('**/api/v1/users/totp', requireStepUp, { times: 1 })
        await button(t.setUp).click()
        await fill(t.password, PASSWORD)
        await button(t.next).click()
        await enter(code!)
        await page.locator('.factor-secret').waitFor()
        await page.keyboard.press('Escape')
        await button(t.removeOf.replace('{{name}}', 'Virtual phone')).click()
        await page.locator('.factor-passkey').waitFor({ state: 'detached' })
        await page.context().close()
      },
    )

    it.runIf(METHODS.includes('passkey')).each(languagesInTurn())(
      'lets the operator sign in with a passkey, and ends the warning of the board (%s)',
      async (language) => {
        const prefix = language === 'zh' ? '/zh' : ''
        const page = await site.visit({ language })
        await page.addInitScript((chosen) => localStorage.setItem('language', chosen), language)
        await addAuthenticator(page)
        const { t, auth, button, fill, addPasskey } = await twoStep(page, language)
        const { login, twoStep: warning } = await words(language, 'dashboard')
        // The board warns in production only, which this server is not.
        await page.route('**/api/v1/analytics/factors', async (route) => {
          const answer = await route.fetch()
          const factors = (await answer.json()) as { totp: boolean; passkeys?: unknown[] }
          await route.fulfill({ json: { ...factors, missing: !factors.totp && factors.passkeys?.length === 0 } })
        })
        await page.goto(`${site.url}${prefix}/admin/dashboard/login`)
        await fill(login.username, OPERATOR.username)
        await fill(login.password, OPERATOR.password)
        await button(login.submit).click()
        await board(page, prefix)
        await page.getByText(warning.missing).waitFor()
        await addPasskey(OPERATOR.password)
        await page.getByText(warning.missing).waitFor({ state: 'detached' })
        await page.context().clearCookies()
        await page.goto(`${site.url}${prefix}/admin/dashboard/login`)
        await button(auth.second.passkey).click()
        await board(page, prefix)
        await button(t.removeOf.replace('{{name}}', 'Virtual phone')).click()
        await page.locator('.factor-passkey').waitFor({ state: 'detached' })
        await page.context().close()
      },
    )

    it.runIf(METHODS.includes('app')).each(languagesInTurn())(
      'lets the operator sign in with an authenticator app, and turn it off (%s)',
      async (language) => {
        const prefix = language === 'zh' ? '/zh' : ''
        const page = await site.visit({ language })
        await page.addInitScript((chosen) => localStorage.setItem('language', chosen), language)
        const { t, auth, button, fill, setUp, enter } = await twoStep(page, language)
        const { login } = await words(language, 'dashboard')
        const signIn = async () => {
          await page.goto(`${site.url}${prefix}/admin/dashboard/login`)
          await fill(login.username, OPERATOR.username)
          await fill(login.password, OPERATOR.password)
          await button(login.submit).click()
        }
        await signIn()
        await board(page, prefix)
        const { secret } = await setUp(OPERATOR.password)
        await page.context().clearCookies()
        await signIn()
        await page.getByText(auth.second.lead).waitFor()
        await enter(codeOf(secret, 1))
        await board(page, prefix)
        await button(t.turnOff).click()
        await page.locator('.factor').getByText(t.off, { exact: true }).waitFor()
        await page.context().close()
      },
    )
  },
)
