import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Page } from 'playwright'
import { expect, it, onTestFinished } from 'vitest'
import { accessRequest, postForm, registerClient } from '#backend/apiKeys/oauth/testing/connect.ts'
import { sampled } from '#backend/testing/sampled.ts'
import { axeFaults } from '../testing/axeFaults.ts'
import { type Language, languagesInTurn } from '../testing/languagesInTurn.ts'
import { describeOnSite } from '../testing/onSite.ts'
import { words } from '../testing/walkJourney.ts'

const WIDTHS = [390, 1280]

/** Checks the page with axe and for horizontal overflow at each width. */
async function expectNoFaults(page: Page, name: string) {
  for (const width of sampled(WIDTHS)) {
    await page.setViewportSize({ width, height: 860 })
    const overflow = await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth)
    expect([name, width, overflow, await axeFaults(page)]).toEqual([name, width, 0, []])
    const shots = process.env.KINORA_SHOTS
    if (shots) await page.screenshot({ path: `${shots}/${name}-${width}.png`, fullPage: true })
  }
}

/** Starts a program on this computer that waits for the answer of the consent page. */
async function startProgram() {
  const answers: URL[] = []
  const server = createServer(({ url = '' }, response) => {
    if (url.startsWith('/callback')) answers.push(new URL(url, 'http://127.0.0.1'))
    response.setHeader('content-type', 'text/html').end('<!doctype html><title>Back</title><p>Back in the program')
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void server.close())
  return { answers, callback: `http://127.0.0.1:${(server.address() as AddressInfo).port}/callback` }
}

describeOnSite('the consent page', (site) => {
  const prefix = (language: Language) => (language === 'zh' ? '/zh' : '')
  /** Returns the address by which a registered program asks for access, and how it gets its tokens. */
  const ask = async (changes: Record<string, string> = {}) => {
    const program = await startProgram()
    const clientId = await registerClient(site.url, { client_name: 'Claude', redirect_uris: [program.callback] })
    const { request, verifier } = accessRequest(clientId, { redirect_uri: program.callback, ...changes })
    const query = new URLSearchParams(request as Record<string, string>)
    const tokens = async () => {
      const code = program.answers.at(-1)?.searchParams.get('code') ?? ''
      const form = { grant_type: 'authorization_code', code, client_id: clientId, code_verifier: verifier }
      return (await postForm(site.url, { ...form, redirect_uri: program.callback })).json() as Promise<{
        access_token: string
      }>
    }
    return { ...program, path: `/oauth/authorize?${query}`, tokens }
  }
  const signedIn = async (language: Language) => {
    const user = await site.newUser()
    await user.call('PUT', '/users/language', { language })
    return site.visit({ language, user })
  }

  it.each(languagesInTurn())(
    'connects a program within a limit, which the account shows and ends (%s)',
    async (language) => {
      const [t, errors, profile] = await Promise.all(['keys', 'errors', 'profile'].map((name) => words(language, name)))
      const page = await signedIn(language)
      const { path, answers, tokens } = await ask()
      // A program knows the English address only: the account has the language.
      await page.goto(site.url + path)
      await page.getByRole('heading', { name: t.consent.heading.replace('{{name}}', 'Claude') }).waitFor()
      await page.getByText(t.consent.unverified).waitFor()
      expect(new URL(page.url()).pathname).toBe(`${prefix(language)}/oauth/authorize`)
      for (const scope of ['videos:write', 'videos:read', 'account:read'])
        await page.getByText(t.scope[scope]).waitFor()
      await expectNoFaults(page, `consent-${language}`)

      const limit = page.getByLabel(t.consent.limit)
      await expect.poll(() => limit.inputValue()).toBe('300')
      await limit.fill('many')
      const allow = page.getByRole('button', { name: t.consent.allow, exact: true })
      await allow.click()
      await page.getByText(errors.invalid_number, { exact: true }).waitFor()
      await expectNoFaults(page, `consent-faults-${language}`)
      await limit.fill('60')
      const password = page.getByLabel(t.form.password, { exact: true })
      await password.fill('wrong horse')
      await allow.click()
      await page.getByText(errors.wrong_password).waitFor()
      await password.fill('correct horse')
      await allow.click()
      await page.getByText('Back in the program').waitFor()
      expect(Object.fromEntries(answers.at(-1)!.searchParams)).toMatchObject({ state: 'state-1', iss: site.url })
      const { access_token } = await tokens()
      const status = async () =>
        (await fetch(`${site.url}/v1/models`, { headers: { authorization: `Bearer ${access_token}` } })).status
      expect(await status()).toBe(200)

      await page.goto(`${site.url}${prefix(language)}/profile/developers`)
      const connections = page.locator('#connections')
      await connections.getByRole('heading', { name: 'Claude' }).waitFor()
      await connections.getByText(profile.spent.replace('{{used}}', '0').replace('{{limit}}', '60')).waitFor()
      await expectNoFaults(page, `connections-${language}`)
      await connections.getByRole('button', { name: t.connections.endOf.replace('{{name}}', 'Claude') }).click()
      await page.locator('dialog[open]').getByRole('button', { name: t.connections.end, exact: true }).click()
      await page.getByText(t.connections.ended).waitFor()
      await connections.getByRole('heading', { name: 'Claude' }).waitFor({ state: 'detached' })
      await expect.poll(status).toBe(401)
      await page.context().close()
    },
  )

  it.each(languagesInTurn())('tells the program of a refusal (%s)', async (language) => {
    const t = await words(language, 'keys')
    const page = await signedIn(language)
    const { path, answers } = await ask()
    await page.goto(site.url + prefix(language) + path)
    await page.getByRole('link', { name: t.consent.deny, exact: true }).click()
    await page.getByText('Back in the program').waitFor()
    expect(Object.fromEntries(answers.at(-1)!.searchParams)).toMatchObject({ error: 'access_denied', state: 'state-1' })
    await page.context().close()
  })

  it.each(languagesInTurn())('goes to no address that a stranger has put into a link (%s)', async (language) => {
    const [t, errors] = await Promise.all(['keys', 'errors'].map((name) => words(language, name)))
    const page = await signedIn(language)
    const { path } = await ask({ redirect_uri: 'https://evil.example/' })
    await page.goto(site.url + prefix(language) + path)
    await page.getByText(errors.redirect_refused).waitFor()
    await expect.poll(() => page.locator('a[href*="evil.example"]').count()).toBe(0)
    await expectNoFaults(page, `consent-refused-${language}`)
    const old = await ask({ code_challenge_method: 'plain' })
    await page.goto(site.url + prefix(language) + old.path)
    await page.getByText(errors.access_request_invalid).waitFor()
    expect(old.answers).toEqual([])
    await page.getByRole('link', { name: t.consent.back }).click()
    await page.getByText('Back in the program').waitFor()
    expect(old.answers.at(-1)?.searchParams.get('error')).toBe('invalid_request')
    await page.context().close()
  })

  it('cannot be framed, and a visitor signs in first and comes back', async () => {
    const { path } = await ask()
    const answer = await fetch(site.url + path, { redirect: 'manual' })
    expect([answer.status, answer.headers.get('location')]).toEqual([
      302,
      `/auth/login?next=${encodeURIComponent(path)}`,
    ])
    const user = await site.newUser()
    const shown = await fetch(site.url + path, { headers: { cookie: user.cookie } })
    expect(shown.headers.get('x-frame-options')).toBe('DENY')
    expect(shown.headers.get('content-security-policy')).toContain("frame-ancestors 'none'")

    const page = await site.visit({ language: 'en' })
    const [t, auth] = await Promise.all(['keys', 'auth'].map((name) => words('en', name)))
    await page.goto(site.url + path)
    await page.getByLabel(auth.field.email, { exact: true }).fill(user.email)
    await page.getByLabel(auth.field.password, { exact: true }).fill('correct horse')
    await page.getByRole('button', { name: auth.login.submit, exact: true }).click()
    await page.getByRole('heading', { name: t.consent.heading.replace('{{name}}', 'Claude') }).waitFor()
    await page.context().close()
  })
})
