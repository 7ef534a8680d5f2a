import type { Page } from 'playwright'
import { expect, it } from 'vitest'
import { buyPlan, readStats } from '#backend/testing/plans.ts'
import { visitor } from '#backend/testing/testUser.ts'
import { axeFaults } from '../testing/axeFaults.ts'
import { languagesInTurn } from '../testing/languagesInTurn.ts'
import { describeInBrowser, ENTRY, type OnSite, OPERATOR, startAlone } from '../testing/onSite.ts'
import { words } from '../testing/walkJourney.ts'

type Language = 'en' | 'zh'
const PASSWORD = 'seventeen wet geese'
const SETTINGS = { DESK_SECOND_OPERATOR_ABOVE: '500' }

/** Gives the page an authenticator that confirms every request. Returns the number of its signatures. */
async function addAuthenticator(page: Page): Promise<() => Promise<number>> {
  const devtools = await page.context().newCDPSession(page)
  await devtools.send('WebAuthn.enable')
  const { authenticatorId } = await devtools.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      ...({ protocol: 'ctap2', transport: 'internal', hasResidentKey: true, hasUserVerification: true } as const),
      ...{ isUserVerified: true, automaticPresenceSimulation: true },
    },
  })
  return async () =>
    (await devtools.send('WebAuthn.getCredentials', { authenticatorId })).credentials[0]?.signCount ?? 0
}

/** The pages of operators in a language. */
async function desk(site: OnSite, language: Language) {
  const [t, factors] = [await words(language, 'dashboard'), (await words(language, 'profile')).factors]
  const prefix = language === 'zh' ? '/zh' : ''
  const board = `${site.url}${prefix}/admin/dashboard`
  const checked = async (page: Page) => {
    expect(await axeFaults(page)).toEqual([])
    expect(await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)).toBeLessThanOrEqual(0)
  }

  return {
    t,
    board,
    checked,
    async signIn(page: Page) {
      await page.goto(`${board}/login`)
      await page.getByLabel(t.login.username).fill(OPERATOR.username)
      await page.getByLabel(t.login.password, { exact: true }).fill(OPERATOR.password)
      await page.getByRole('button', { name: t.login.submit, exact: true }).click()
      await page.getByRole('searchbox', { name: t.desk.search }).waitFor()
    },

    async addPasskey(page: Page, password: string) {
      await page.getByRole('button', { name: factors.addPasskey, exact: true }).click()
      await page.getByLabel(factors.passkeyName, { exact: true }).fill('Laptop')
      await page.getByLabel(factors.password, { exact: true }).fill(password)
      await page.getByRole('button', { name: factors.next, exact: true }).click()
      await page.getByRole('button', { name: factors.saved, exact: true }).click()
    },

    async invite(page: Page, name: string, role: 'viewer' | 'support' | 'owner') {
      await page.getByRole('button', { name: t.operators.invite, exact: true }).click()
      const dialog = page.getByRole('dialog')
      await dialog.getByLabel(t.operators.name, { exact: true }).fill(name)
      await dialog.getByLabel(t.desk.email, { exact: true }).fill(`${name}@kinora.test`)
      await dialog.getByRole('radio', { name: t.operators.roles[role] }).check()
      await checked(page)
      await dialog.getByRole('button', { name: t.operators.invite, exact: true }).click()
      await dialog.waitFor({ state: 'detached' })
      await page.getByRole('row', { name: new RegExp(name) }).waitFor()
    },

    /** Opens the mailed invitation, chooses a password, and adds a passkey. */
    async accept(page: Page, name: string) {
      const [mail] = await visitor(site.url).mails(`${name}@kinora.test`)
      await page.goto(/http\S+/.exec(mail!.text)![0])
      await page.getByLabel(t.invitation.password, { exact: true }).fill(PASSWORD)
      await checked(page)
      await page.getByRole('button', { name: t.invitation.submit, exact: true }).click()
      await page.getByRole('heading', { name: t.invitation.factorHeading }).waitFor()
      await checked(page)
      await this.addPasskey(page, PASSWORD)
      await page.getByRole('button', { name: t.invitation.open, exact: true }).click()
      await page.getByRole('searchbox', { name: t.desk.search }).waitFor()
    },

    /** Returns how often acts are offered on the page of a person. */
    async offered(page: Page, userId: string) {
      await page.goto(`${board}#person/${userId}`)
      await page.reload()
      await page.getByRole('heading', { level: 2, name: 'Test User' }).waitFor()
      await page.waitForLoadState('networkidle')
      const counts = (['grant', 'refund', 'suspend'] as const).map((kind) =>
        page.getByRole('button', { name: new RegExp(`^${t.desk.acts[kind]}`) }).count(),
      )
      return Promise.all([...counts, page.getByLabel(t.desk.note).count()])
    },

    /** Sets a new password with a mailed link. */
    async reset(page: Page, name: string) {
      await page.goto(`${board}/login`)
      await page.getByRole('link', { name: t.login.forgot, exact: true }).click()
      await page.getByLabel(t.login.username).fill(name)
      await checked(page)
      await page.getByRole('button', { name: t.reset.submit, exact: true }).click()
      await page.getByText(t.reset.sent).waitFor()
      const subject = (await words(language, 'mails')).operatorReset.subject
      const mails = () => visitor(site.url).mails(`${name}@kinora.test`)
      await expect.poll(async () => (await mails())[0]?.subject).toBe(subject)
      await page.goto(/http\S+/.exec((await mails())[0]!.text)![0])
      await page.getByLabel(t.invitation.password, { exact: true }).fill(`another of ${PASSWORD}`)
      await checked(page)
      await page.getByRole('button', { name: t.invitation.submit, exact: true }).click()
      await page.waitForURL(/\/login$/)
    },

    /** Orders credits for the person whose page is open. */
    async grant(page: Page, userId: string, amount: string, status: 'done' | 'waiting') {
      await page.goto(`${board}#person/${userId}`)
      const name = t.desk.acts.grant
      await page
        .getByRole('button', { name: new RegExp(`^${name}`) })
        .first()
        .click()
      const dialog = page.getByRole('dialog')
      await dialog.getByRole('textbox').first().fill(amount)
      await dialog.getByLabel(t.desk.reason).fill('a remedy')
      await dialog.getByRole('button', { name, exact: true }).click()
      await dialog.waitFor({ state: 'detached' })
      await page.getByRole('status').getByText(t.desk.status[status].replace('{{act}}', name)).waitFor()
    },
  }
}

describeInBrowser(
  'operators on the board',
  () => startAlone(SETTINGS, ENTRY),
  (site) => {
    it.each(languagesInTurn())(
      'invite each other, sign what they order, and approve what another one ordered (%s)',
      async (language) => {
        const on = await desk(site, language)
        const { t } = on
        const [name, user] = [`sam-${language}`, await site.newUser()]
        await buyPlan(site, user, 'standard')
        const left = async () => (await readStats(user)).remaining_credits
        const before = await left()

        const first = await site.visit({ language })
        await on.signIn(first)
        await first.goto(`${on.board}#operators`)
        await first.getByRole('row', { name: new RegExp(OPERATOR.username) }).waitFor()
        await on.invite(first, name, 'support')
        await first.setViewportSize({ width: 390, height: 844 })
        await on.checked(first)

        const second = await site.visit({ language })
        const signatures = await addAuthenticator(second)
        await on.accept(second, name)
        const counted = await signatures()
        await on.grant(second, user.userId, '40', 'done')
        expect(await left()).toBe(before + 40)
        await on.grant(second, user.userId, '501', 'waiting')
        expect(await signatures()).toBe(counted + 2)
        expect(await left()).toBe(before + 40)

        await first.goto(`${on.board}#operators`)
        await first.reload()
        const row = first.getByRole('row', { name: new RegExp(name) }).first()
        await row.getByRole('button', { name: t.waiting.approve, exact: true }).click()
        await first.getByText(t.waiting.empty).waitFor()
        await expect.poll(left).toBe(before + 541)
        const { desk: audited } = await site.audit()
        expect(audited.actions.filter(({ subject }) => subject === user.userId)).toMatchObject([
          { operator: name, signed: true, approvedBy: null, ended: 'ActionDone' },
          { operator: name, signed: true, approvedBy: OPERATOR.username, ended: 'ActionDone' },
        ])

        expect(await on.offered(second, user.userId)).toEqual([1, 1, 1, 1])
        const role = t.operators.roleOf.replace('{{name}}', name)
        await first.getByRole('combobox', { name: role }).selectOption('viewer')
        await first.getByText(t.operators.changed.replace('{{name}}', name)).waitFor()
        expect(await on.offered(second, user.userId)).toEqual([0, 0, 0, 0])
        await on.reset(second, name)
        await first.getByRole('button', { name: t.operators.removeOf.replace('{{name}}', name) }).click()
        await first.getByRole('dialog').getByRole('button', { name: t.operators.remove, exact: true }).click()
        await first.getByText(t.operators.removed.replace('{{name}}', name)).waitFor()
        for (const page of [first, second]) await page.context().close()
      },
    )
  },
)
