import type { Page } from 'playwright'
import { expect, it } from 'vitest'
import type { DeskAction } from '#backend/desk/contract.ts'
import { buyPlan, readStats } from '#backend/testing/plans.ts'
import { type TestUser, visitor } from '#backend/testing/testUser.ts'
import { axeFaults } from '../testing/axeFaults.ts'
import { describeOnBoard } from '../testing/onBoard.ts'
import { words } from '../testing/walkJourney.ts'

/** Subjects of mails, by language. */
const SUSPENDED = { en: 'Your Kinora account is suspended', zh: '你的 Kinora 账号已被暂停' }
const RESTORED = { en: 'Your Kinora account is restored', zh: '你的 Kinora 账号已恢复' }
const RESET = { en: 'Reset your Kinora password', zh: '重置你的 Kinora 密码' }

describeOnBoard('the operator’s desk', (on) => {
  /** Opens the page of a person by a search for `query`. */
  async function openPerson(page: Page, language: 'en' | 'zh', query: string, key: string) {
    const t = await words(language, 'dashboard')
    await page.goto(`${on.site.url}${language === 'zh' ? '/zh' : ''}/admin/dashboard`)
    const box = page.getByRole('searchbox', { name: t.desk.search })
    await box.waitFor()
    await page.keyboard.press(key)
    await expect.poll(() => box.evaluate((input) => input === document.activeElement)).toBe(true)
    await page.keyboard.type(query)
    await page.keyboard.press('Enter')
    await page.getByRole('search').getByRole('link').first().click()
    await page.getByRole('heading', { level: 2, name: 'Test User' }).waitFor()
    return t
  }

  /** Orders an act on the page that is open. */
  async function act(
    page: Page,
    t: typeof import('#content/en/dashboard.json'),
    kind: DeskAction['kind'],
    amount?: string,
  ) {
    const name = t.desk.acts[kind]
    const button = page.getByRole('button', { name: new RegExp(`^${name}`) }).first()
    await button.click()
    const dialog = page.getByRole('dialog')
    if (amount !== undefined) await dialog.getByRole('textbox').first().fill(amount)
    await dialog.getByLabel(t.desk.reason).fill('<img src=x onerror="document.title=1">')
    expect(await axeFaults(page)).toEqual([])
    await dialog.getByRole('button', { name, exact: true }).click()
    await dialog.waitFor({ state: 'detached' })
    await page.getByRole('status').getByText(t.desk.status.done.replace('{{act}}', name)).waitFor()
  }

  const remaining = async (user: TestUser) => (await readStats(user)).remaining_credits
  const subjects = async ({ email }: TestUser) =>
    (await visitor(on.site.url).mails(email)).map(({ subject }) => subject)
  const signIn = ({ email }: TestUser) => visitor(on.site.url).post('/auth/login', { email, password: 'correct horse' })

  it.each(['en', 'zh'] as const)('carries out each act, which the person sees (%s)', async (language) => {
    const user = await on.site.newUser()
    await user.call('PUT', '/users/language', { language })
    await buyPlan(on.site, user, 'standard')
    const before = await remaining(user)
    const page = await on.visit(language)
    const t = await openPerson(page, language, user.email, language === 'en' ? '/' : 'Control+k')
    const part = (name: string) => page.getByRole('region', { name: new RegExp(`^${name}`) })

    await part(t.desk.account)
      .getByText(/•••@k•••\.test/)
      .waitFor()
    await page.getByRole('button', { name: t.desk.reveal }).click()
    await part(t.desk.account).getByText(user.email).waitFor()
    for (const width of [390, 1280, 1680]) {
      await page.setViewportSize({ width, height: 1080 })
      expect(await axeFaults(page)).toEqual([])
      expect(await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)).toBeLessThanOrEqual(0)
    }

    await act(page, t, 'grant', '40')
    await expect.poll(() => remaining(user)).toBe(before + 40)
    await act(page, t, 'refund')
    await expect.poll(() => remaining(user)).toBe(60 + 40)
    await act(page, t, 'take', '15')
    await expect.poll(() => remaining(user)).toBe(60 + 25)
    await act(page, t, 'send_reset')
    await expect.poll(() => subjects(user)).toContain(RESET[language])
    await act(page, t, 'suspend')
    await page.getByText(t.desk.isSuspended).waitFor()
    await expect.poll(() => subjects(user)).toContain(SUSPENDED[language])
    await expect.poll(async () => (await user.call('GET', '/auth/me')).status).toBe(401)
    await act(page, t, 'restore')
    await expect.poll(() => subjects(user)).toContain(RESTORED[language])
    await act(page, t, 'sign_out')
    expect((await signIn(user)).status).toBe(200)

    await page.getByLabel(t.desk.note).fill('<b>asked twice</b>')
    await page.getByRole('button', { name: t.desk.write }).click()
    await part(t.desk.notes).getByText('<b>asked twice</b>').waitFor()
    await expect.poll(() => part(t.desk.actions).getByRole('listitem').count()).toBe(7)
    expect(await page.title()).not.toBe('1')
    expect(await axeFaults(page)).toEqual([])
    await page.context().close()
  })
})
