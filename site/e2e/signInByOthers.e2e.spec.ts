import type { Page } from 'playwright'
import { expect, it } from 'vitest'
import { type RealIssuer, startRealIssuer } from '#backend/providers/signIn/testing/realIssuer.ts'
import { registerUser } from '#backend/testing/testUser.ts'
import { axeFaults } from './testing/axeFaults.ts'
import { languagesInTurn } from './testing/languagesInTurn.ts'
import { observeShifts, shiftFaults } from './testing/layoutShift.ts'
import { describeInBrowser, ENTRY, startAlone } from './testing/onSite.ts'
import { words } from './testing/walkJourney.ts'

const PASSWORD = 'correct horse'
let issuer: RealIssuer

/** Starts a site with two ways to sign in, of which one is real. */
async function startWithIssuer() {
  issuer = await startRealIssuer()
  const google = { GOOGLE_CLIENT_ID: 'id', GOOGLE_CLIENT_SECRET: 'secret' }
  const site = await startAlone({ ...google, ...issuer.env }, ENTRY)
  issuer.accept(`${site.url}/api/v1/auth/providers/oidc/callback`)
  const close = async () => {
    await site.close()
    await issuer.close()
  }
  return { url: site.url, close }
}

/** Returns the parts of the pages, located by their visible text. */
async function textsOf(page: Page, language: 'en' | 'zh') {
  const [{ signIns, security }, auth] = [await words(language, 'profile'), await words(language, 'auth')]
  const named = (text: string) => text.replaceAll('{{name}}', 'Acme')
  const button = (name: string) => page.getByRole('button', { name: named(name), exact: true })
  return { signIns, security, auth, named, button }
}

const newcomer = (language: string, said: object = {}) => {
  const sub = `${language}.${Date.now()}`
  const person = { sub, email: `${sub}@kinora.test`, email_verified: true, name: 'Ada Lovelace', ...said }
  issuer.signsIn(person)
  return person
}

describeInBrowser('sign-in by others', startWithIssuer, (site) => {
  it.each(languagesInTurn())(
    'makes an account that continues where it was asked, and cannot lose its only way in (%s)',
    async (language) => {
      const prefix = language === 'zh' ? '/zh' : ''
      const page = await site.visit({ language })
      const { signIns, auth, button } = await textsOf(page, language)
      const { email } = newcomer(language)
      await observeShifts(page)
      await page.goto(`${site.url}${prefix}/auth/login?next=${prefix}/profile/security`)
      await button(auth.provider.with).waitFor()
      const logo = button(auth.provider.with).locator('img')
      await expect.poll(() => logo.evaluate((img: HTMLImageElement) => img.complete && img.naturalWidth > 0)).toBe(true)
      expect([await axeFaults(page), await shiftFaults(page)]).toEqual([[], []])
      await button(auth.provider.with).click()
      await page.waitForURL(`${site.url}${prefix}/profile/security`)
      await page.getByText(signIns.as.replace('{{email}}', email)).waitFor()
      expect(await axeFaults(page)).toEqual([])
      await button(signIns.disconnectOf).click()
      await page.getByText((await words(language, 'errors')).last_way_in).waitFor()
      await page.context().close()
    },
  )

  it.each(languagesInTurn())(
    'refuses an address that is not verified, and connects it after a sign-in here (%s)',
    async (language) => {
      const prefix = language === 'zh' ? '/zh' : ''
      const user = await registerUser(site.url, `refused.${language}.${Date.now()}@kinora.test`)
      await user.call('PUT', '/users/language', { language })
      const page = await site.visit({ language })
      const { signIns, security, auth, button, named } = await textsOf(page, language)
      newcomer(language, { email: user.email, email_verified: false })
      await page.goto(`${site.url}${prefix}/auth/login`)
      await button(auth.provider.with).click()
      await page.getByRole('heading', { name: auth.provider.refused }).waitFor()
      await page.getByText(named(auth.provider.refusedText)).waitFor()
      expect(await axeFaults(page)).toEqual([])
      await page.getByRole('link', { name: auth.provider.toSecurity }).click()

      await page.getByLabel(auth.field.email, { exact: true }).fill(user.email)
      await page.getByLabel(auth.field.password, { exact: true }).fill(PASSWORD)
      await page.locator('main').getByRole('button', { name: auth.login.submit, exact: true }).click()
      await button(signIns.connectOf).click()
      const { factors } = await words(language, 'profile')
      await page.getByLabel(factors.password, { exact: true }).fill(PASSWORD)
      expect(await axeFaults(page)).toEqual([])
      await button(signIns.go).click()
      await page.getByText(signIns.as.replace('{{email}}', user.email)).waitFor()
      await page.locator('#security').getByText(security.event.identity_connected).waitFor()
      await button(signIns.disconnectOf).click()
      await button(signIns.connectOf).waitFor()
      await page.locator('#security').getByText(security.event.identity_disconnected).waitFor()
      await page.context().close()
    },
  )

  it.each(languagesInTurn())('says that the service does not answer, and tries again (%s)', async (language) => {
    const prefix = language === 'zh' ? '/zh' : ''
    const page = await site.visit({ language, width: 390 })
    const { auth, button } = await textsOf(page, language)
    newcomer(language)
    // The endpoints are known, so the browser reaches the issuer, which is then down for the server.
    issuer.replace((request, response) =>
      request.url === '/token' ? request.socket.destroy() : issuer.answer(request, response),
    )
    await page.goto(`${site.url}${prefix}/auth/login`)
    await button(auth.provider.with).click()
    await page.getByText((await words(language, 'errors')).provider_unavailable).waitFor()
    expect(await axeFaults(page)).toEqual([])
    issuer.replace()
    await button(auth.provider.again).click()
    await page.waitForURL(`${site.url}${prefix}/workspace`)
    await page.context().close()
  })

  it('tells who declines at the service', async () => {
    const page = await site.visit({ language: 'en' })
    const { auth, button } = await textsOf(page, 'en')
    issuer.signsIn(undefined)
    await page.goto(`${site.url}/auth/register`)
    await button(auth.provider.with).click()
    await page.getByText((await words('en', 'errors')).provider_declined).waitFor()
    await page.getByRole('link', { name: auth.provider.back }).click()
    await button(auth.provider.with).waitFor()
    await page.context().close()
  })
})
