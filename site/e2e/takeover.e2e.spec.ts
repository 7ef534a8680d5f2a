import { TOTP } from 'otpauth'
import { expect, it } from 'vitest'
import { registerUser, visitor } from '#backend/testing/testUser.ts'
import { axeFaults } from './testing/axeFaults.ts'
import { languagesInTurn } from './testing/languagesInTurn.ts'
import { mailedLink } from './testing/mailedLink.ts'
import { describeOnSite } from './testing/onSite.ts'
import { words } from './testing/walkJourney.ts'

const PASSWORD = 'correct horse'

describeOnSite('an account that others have signed in to', (site) => {
  /** Signs in from another browser. Returns its cookies as headers. */
  async function signInElsewhere(email: string) {
    const headers = { 'user-agent': 'Chrome/131' }
    const answer = await visitor(site.url).post('/auth/login', { email, password: PASSWORD }, headers)
    return {
      cookie: answer.headers
        .getSetCookie()
        .map((line) => line.split(';')[0])
        .join('; '),
    }
  }

  /** Opens the profile in a session that has not proved the user's authenticator app. */
  async function openProfile(language: 'en' | 'zh') {
    const user = await registerUser(site.url, `stepup.${language}.${Date.now()}@kinora.test`)
    await user.call('PUT', '/users/language', { language })
    // Only the session that sets the app up has proved it.
    const elsewhere = await signInElsewhere(user.email)
    const { post } = visitor(site.url)
    const { secret } = (await (await post('/users/totp', { password: PASSWORD }, elsewhere)).json()) as {
      secret: string
    }
    const code = TOTP.generate({ secret: new TOTP({ secret }).secret })
    const answer = await post('/users/totp/confirm', { code }, elsewhere)
    const { recovery_codes } = (await answer.json()) as { recovery_codes: [string] }
    const page = await site.visit({ language, user })
    await page.goto(`${site.url}${language === 'zh' ? '/zh' : ''}/profile/settings`)
    return { user, page, recoveryCode: recovery_codes[0] }
  }

  it.each(languagesInTurn())('gets a passkey after a step-up in the dialog (%s)', async (language) => {
    const { page, recoveryCode } = await openProfile(language)
    const [{ factors }, { second }] = [await words(language, 'profile'), await words(language, 'auth')]
    await page.goto(page.url().replace('/settings', '/security'))
    await page.getByRole('button', { name: factors.addPasskey, exact: true }).click()
    await page.getByLabel(factors.passkeyName, { exact: true }).fill('Phone')
    await page.getByLabel(factors.password, { exact: true }).fill(PASSWORD)
    await page.getByRole('button', { name: factors.next, exact: true }).click()
    const stepUp = page.getByRole('dialog', { name: factors.stepUpTitle })
    await stepUp.waitFor()
    expect(await axeFaults(page)).toEqual([])
    await page.getByLabel(second.code, { exact: true }).fill(recoveryCode)
    const begun = page.waitForResponse('**/api/v1/users/passkeys/options')
    await stepUp.getByRole('button', { name: second.submit, exact: true }).click()
    expect((await begun).status()).toBe(200)
    await page.context().close()
  })

  it.each(languagesInTurn())('is deleted after a step-up in the dialog (%s)', async (language) => {
    const { user, page, recoveryCode } = await openProfile(language)
    const [{ delete: t, factors }, { second }] = [await words(language, 'profile'), await words(language, 'auth')]
    await page.getByRole('button', { name: t.open, exact: true }).click()
    await page.getByLabel(t.password, { exact: true }).fill(PASSWORD)
    await page.getByRole('dialog', { name: t.title }).getByRole('button', { name: t.confirm }).click()
    const stepUp = page.getByRole('dialog', { name: factors.stepUpTitle })
    await stepUp.waitFor()
    expect(await axeFaults(page)).toEqual([])
    await page.getByLabel(second.code, { exact: true }).fill(recoveryCode)
    await stepUp.getByRole('button', { name: second.submit, exact: true }).click()
    await page.getByRole('heading', { name: t.doneHeading }).waitFor()
    expect((await user.call('GET', '/auth/me')).status).toBe(401)
    await page.context().close()
  })

  it.each(languagesInTurn())('is secured with the link of the mail (%s)', async (language) => {
    const user = await registerUser(site.url, `secure.${language}.${Date.now()}@kinora.test`)
    await user.call('PUT', '/users/language', { language })
    const intruder = await signInElsewhere(user.email)
    const me = async () => (await fetch(`${site.url}/api/v1/auth/me`, { headers: intruder })).status
    expect(await me()).toBe(200)
    const link = await mailedLink(site.url, user.email, /https?:\S+secure=1/)

    const page = await site.visit({ language })
    const { secure: t, reset } = await words(language, 'auth')
    await page.goto(link)
    await page.getByRole('heading', { name: t.heading }).waitFor()
    expect(await axeFaults(page)).toEqual([])
    expect(await me()).toBe(200)
    await page.getByRole('button', { name: t.submit, exact: true }).click()
    await page.getByLabel(reset.password, { exact: true }).fill('a better horse')
    expect(await me()).toBe(401)
    await page.getByLabel(reset.confirm, { exact: true }).fill('a better horse')
    await page.getByRole('button', { name: reset.submit, exact: true }).click()
    await page.getByRole('heading', { name: reset.doneHeading }).waitFor()

    await page.goto(link)
    await page.getByRole('button', { name: t.submit, exact: true }).click()
    await page.getByText(t.linkRefused).waitFor()
    await page.context().close()
  })
})
