import { TOTP } from 'otpauth'
import type { Page } from 'playwright'
import { expect, it } from 'vitest'
import { type DeskAction, search, WAIT_HOURS } from '#backend/desk/contract.ts'
import { DESK_KINDS } from '#backend/desk/kinds.contract.ts'
import { buyPlan, read } from '#backend/testing/plans.ts'
import { sampled } from '#backend/testing/sampled.ts'
import { type TestUser, visitor } from '#backend/testing/testUser.ts'
import { orderBulk, readTriage } from '#backend/triage/contract.ts'
import { axeFaults } from '../testing/axeFaults.ts'
import { languagesInTurn } from '../testing/languagesInTurn.ts'
import { describeOnBoard } from '../testing/onBoard.ts'
import { OPERATOR } from '../testing/onSite.ts'
import { words } from '../testing/walkJourney.ts'
import { problem } from '../testing/workspaceDouble.ts'

const VIDEO = {
  task_type: 'text_to_video',
  model: 'MiniMax-Hailuo-02',
  resolution: '768P',
  duration: 6,
  prompt: 'A cat',
}

/** Acts whose dialogs are looked at with axe. One component shows the dialogs of all. */
const LOOKED = sampled(DESK_KINDS, 4)

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

  interface Order {
    readonly kind: DeskAction['kind']
    /** Amount or new address. */
    readonly typed?: string
    /** Video, if the act is about one. */
    readonly subject?: string
  }

  /** Orders an act on the page that is open. */
  async function act(page: Page, t: typeof import('#content/en/dashboard.json'), { kind, typed, subject }: Order) {
    const name = t.desk.acts[kind]
    const named = subject === undefined ? new RegExp(`^${name}`) : `${name}: ${subject}`
    await page.getByRole('button', { name: named }).first().click()
    const dialog = page.getByRole('dialog')
    if (typed !== undefined) await dialog.getByRole('textbox').first().fill(typed)
    await dialog.getByLabel(t.desk.reason).fill('<img src=x onerror="document.title=1">')
    if (LOOKED.includes(kind)) expect(await axeFaults(page)).toEqual([])
    await dialog.getByRole('button', { name, exact: true }).click()
    await dialog.waitFor({ state: 'detached' })
    const outcome = WAIT_HOURS[kind] === undefined ? t.desk.status.done : t.desk.status.scheduled
    await page.getByRole('status').getByText(outcome.replace('{{act}}', name)).waitFor()
  }

  const subjects = async (email: string) => (await visitor(on.site.url).mails(email)).map(({ subject }) => subject)
  const signIn = ({ email }: TestUser) => visitor(on.site.url).post('/auth/login', { email, password: 'correct horse' })
  type Mail = keyof typeof import('#content/en/mails.json')
  /** Waits for the mails of a kind, whatever fills their subject. */
  async function mailed(language: 'en' | 'zh', email: string, kind: Mail, times = 1) {
    const [before = '', after = ''] = (await words(language, 'mails'))[kind].subject.split(/\{\{\w+\}\}/)
    const isIt = (subject: string) => subject.startsWith(before) && subject.endsWith(after)
    await expect.poll(async () => (await subjects(email)).filter(isIt).length).toBe(times)
  }
  async function setUpTotp(user: TestUser) {
    const begun = await user.call('POST', '/users/totp', { password: 'correct horse' })
    const { secret } = (await begun.json()) as { secret: string }
    await user.call('POST', '/users/totp/confirm', { code: TOTP.generate({ secret: new TOTP({ secret }).secret }) })
  }
  /** Expects that the audit finds in the log who ordered the actions about a person: these kinds, newest first. */
  async function expectAudited(page: Page, { userId }: Pick<TestUser, 'userId'>, kinds: readonly DeskAction['kind'][]) {
    const listed = await page.request.get(`${on.site.url}/api/v1/desk/actions?user=${userId}&per_page=100`)
    const { actions } = (await listed.json()) as { actions: DeskAction[] }
    const { deviations, desk } = await on.site.audit()
    const lines = actions.map(({ id }) => desk.actions.find((each) => each.id === id))
    expect(lines.map((line) => line?.kind)).toEqual(kinds.toReversed())
    const ended = actions.map(({ status }) => ({ done: 'ActionDone', refused: 'ActionRefused' })[status as 'done'])
    expect(lines).toMatchObject(ended.map((event) => ({ operator: OPERATOR.username, ended: event })))
    expect(deviations.filter(({ check }) => check === 'desk' || check === 'grant')).toEqual([])
  }
  /** Opens a page of a person in their browser, and waits for a text. */
  async function isShown(theirs: Page, language: 'en' | 'zh', path: string, text: string | RegExp) {
    await theirs.goto(`${on.site.url}${language === 'zh' ? '/zh' : ''}${path}`)
    await theirs.getByText(text).first().waitFor()
  }
  const orderVideo = async (user: TestUser, prompt = VIDEO.prompt) => {
    const answer = await user.call('POST', '/videos/generate', { ...VIDEO, prompt })
    return ((await answer.json()) as { task: { id: string } }).task.id
  }
  const statusOf = async (user: TestUser, id: string) =>
    (await read<{ tasks: { id: string; status: string }[] }>(user, '/videos/tasks')).tasks.find(
      (task) => task.id === id,
    )?.status

  it.each(languagesInTurn())('carries out each act, which the person sees (%s)', async (language) => {
    const user = await on.site.newUser()
    await user.call('PUT', '/users/language', { language })
    await buyPlan(on.site, user, 'standard')
    await setUpTotp(user)
    const page = await on.visit(language)
    const theirs = await on.site.visit({ language, user })
    const { statusOf: paid } = await words(language, 'billing')
    const { statusOf: planned } = await words(language, 'subscription')
    const { event } = (await words(language, 'profile')).security
    const { reason } = await words(language, 'credits')
    const t = await openPerson(page, language, user.email, language === 'en' ? '/' : 'Control+k')
    const part = (name: string) => page.getByRole('region', { name: new RegExp(`^${name}`) })

    await part(t.desk.account)
      .getByText(/•••@k•••\.test/)
      .waitFor()
    await page.getByRole('button', { name: t.desk.reveal }).click()
    await part(t.desk.account).getByText(user.email).waitFor()
    for (const width of sampled([390, 1280, 1680])) {
      await page.setViewportSize({ width, height: 1080 })
      expect(await axeFaults(page)).toEqual([])
      expect(await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)).toBeLessThanOrEqual(0)
    }

    // Two are made at the same time, so the last ones wait until these are cancelled.
    const made = [await orderVideo(user, 'An endless cat'), await orderVideo(user, 'An endless cat')]
    const [released, cancelled] = [await orderVideo(user), await orderVideo(user)]
    await page.reload()
    await page.getByRole('heading', { level: 2, name: 'Test User' }).waitFor()
    const address = `moved.${language}.${Date.now()}@kinora.test`
    interface Step extends Order {
      readonly mail?: Mail
      /** Path and text of a page that the person sees then. */
      readonly view?: readonly [string, string | RegExp]
      readonly check?: () => Promise<void>
    }
    const [credits, security] = ['/profile/credits', '/profile/security']
    const refunded = new RegExp(`${paid.partially_refunded}|${paid.refunded}`)
    const steps: readonly Step[] = [
      { kind: 'release_task', subject: released, mail: 'videoReleased', view: [credits, reason['not delivered']] },
      {
        ...{ kind: 'cancel_task', subject: cancelled, mail: 'videoReleased', view: [credits, reason.cancelled] },
        async check() {
          await expect.poll(() => statusOf(user, cancelled)).toBe('Fail')
          for (const id of made) await user.call('POST', `/videos/tasks/${id}/cancel`)
        },
      },
      { kind: 'retry_task', subject: released, mail: 'videoRetried', check: () => hasVideos(5) },
      { kind: 'grant', typed: '400', mail: 'creditsGranted', view: [credits, '+400'] },
      { kind: 'take', typed: '15', mail: 'creditsTaken', view: [credits, '-15'] },
      { kind: 'refund', mail: 'paymentRefunded', view: ['/profile/billing', refunded] },
      { kind: 'cancel_plan', mail: 'planCancelled', view: ['/profile/billing', planned.cancelled] },
      { kind: 'send_reset', mail: 'reset', view: [security, event.reset_requested] },
      { kind: 'remove_factor', mail: 'factorRemovalPlanned' },
      {
        kind: 'change_address',
        typed: address,
        mail: 'addressChangePlanned',
        check: () => mailed(language, address, 'addressAwaited'),
      },
      { kind: 'delete_account', mail: 'deletionPlanned' },
      { kind: 'suspend', mail: 'suspended', check: () => suspensionIsShown() },
      { kind: 'restore', mail: 'restored' },
      { kind: 'sign_out', mail: 'signedOut' },
    ]
    // The other tests and moderation.e2e.spec.ts carry out these.
    const others = ['verify_email', 'take_down', 'put_back'] as const
    expect([...steps.map(({ kind }) => kind), ...others].toSorted()).toEqual(DESK_KINDS.toSorted())
    const hasVideos = (count: number) =>
      expect.poll(async () => (await read<{ tasks: object[] }>(user, '/videos/tasks')).tasks.length).toBe(count)
    const suspensionIsShown = async () => {
      await page.getByText(t.desk.isSuspended).waitFor()
      await expect.poll(async () => (await user.call('GET', '/auth/me')).status).toBe(401)
    }
    for (const [index, { mail, view, check, ...order }] of steps.entries()) {
      await act(page, t, order)
      const times = steps.slice(0, index + 1).filter((step) => step.mail === mail).length
      if (mail) await mailed(language, user.email, mail, times)
      await check?.()
      if (view) await isShown(theirs, language, ...view)
    }
    const stopOf = (kind: DeskAction['kind']) =>
      page.getByRole('button', { name: `${t.desk.stop}: ${t.desk.acts[kind]}` })
    await page.route('**/desk/actions/*/stop', (route) => route.abort(), { times: 1 })
    await stopOf('delete_account').press('Enter')
    await page
      .locator('.toast')
      .getByText((await words(language, 'errors')).network)
      .waitFor()
    for (const kind of ['remove_factor', 'change_address', 'delete_account'] as const) await stopOf(kind).press('Enter')
    await expect.poll(() => part(t.desk.actions).getByText(t.desk.state_refused).count()).toBe(3)

    await page.getByLabel(t.desk.note).fill('<b>asked twice</b>')
    await page.getByRole('button', { name: t.desk.write }).click()
    await part(t.desk.notes).getByText('<b>asked twice</b>').waitFor()
    await expect.poll(() => part(t.desk.actions).getByRole('listitem').count()).toBe(steps.length)
    await part(t.desk.past.heading).getByLabel(t.desk.past.at).fill('2020-01-01T00:00:00')
    await part(t.desk.past.heading).getByRole('button', { name: t.desk.past.show }).click()
    await part(t.desk.past.heading).getByText(t.desk.tiers.free).waitFor()
    for (const each of [page, theirs]) expect(await each.title()).not.toBe('1')
    expect(await axeFaults(page)).toEqual([])
    await expectAudited(
      page,
      user,
      steps.map(({ kind }) => kind),
    )
    for (const each of [page, theirs]) await each.context().close()
  })

  it.each(languagesInTurn())('verifies an address by hand (%s)', async (language) => {
    const email = `late.${language}.${Date.now()}@kinora.test`
    const register = { email, password: 'correct horse', username: 'Test User', language }
    await visitor(on.site.url).post('/auth/register', register)
    const page = await on.visit(language)
    const t = await openPerson(page, language, email, '/')
    await act(page, t, { kind: 'verify_email' })
    await mailed(language, email, 'addressVerified')
    await expectAudited(page, { userId: new URL(page.url()).hash.split('/')[1]! }, ['verify_email'])
    const answer = await visitor(on.site.url).post('/auth/login', { email, password: 'correct horse' })
    expect(answer.status).toBe(200)
    await page.context().close()
  })

  it.each(languagesInTurn())('shows a suspension and its end to the person (%s)', async (language) => {
    const user = await on.site.newUser()
    await user.call('PUT', '/users/language', { language })
    const page = await on.visit(language)
    const t = await openPerson(page, language, user.email, '/')
    await act(page, t, { kind: 'suspend' })
    const cookie = (await signIn(user)).headers
      .getSetCookie()
      .map((line) => line.split(';')[0])
      .join('; ')
    const { text, appeal } = (await words(language, 'common')).suspended
    for (const width of sampled([390, 1280])) {
      const theirs = await on.site.visit({ language, width, user: { ...user, cookie } })
      await theirs.goto(`${on.site.url}${language === 'zh' ? '/zh' : ''}/workspace`)
      await theirs.getByText(text).waitFor()
      await theirs.getByRole('button', { name: appeal }).waitFor()
      expect(await axeFaults(theirs)).toEqual([])
      await theirs.context().close()
    }
    await act(page, t, { kind: 'restore' })
    const { event } = (await words(language, 'profile')).security
    const theirs = await on.site.visit({ language, user: { ...user, cookie } })
    await isShown(theirs, language, '/profile/security', event.restored)
    await act(page, t, { kind: 'sign_out' })
    await theirs.goto(`${on.site.url}${language === 'zh' ? '/zh' : ''}/profile`)
    await theirs.waitForURL(/\/login/)
    await expectAudited(page, user, ['suspend', 'restore', 'sign_out'])
    for (const each of [page, theirs]) await each.context().close()
  })

  it('shows no answer to an earlier search beside a newer text', async () => {
    const answer = Promise.withResolvers<void>()
    const { page, t } = await on.open('en', (_, page) =>
      page.route(`**${search.path}?*`, async (route) => {
        await answer.promise
        await route.fulfill({ json: { results: [{ kind: 'person', id: 'a', label: 'Ada', user_id: 'a' }] } })
      }),
    )
    const box = page.getByRole('searchbox', { name: t.desk.search })
    const asked = page.waitForRequest(`**${search.path}?*`)
    await box.fill('ada')
    await box.press('Enter')
    await asked
    await box.fill('grace')
    answer.resolve()
    await page.getByRole('search').locator('[aria-busy=true]').waitFor({ state: 'detached' })
    await expect.poll(() => page.getByRole('search').getByRole('link').count()).toBe(0)
    await box.fill('ada')
    await box.press('Enter')
    await page.getByRole('search').getByRole('link').waitFor()
    await page.context().close()
  })

  it('shows nothing beside a person of what was done to another', async () => {
    const [first, second] = [await on.site.newUser(), await on.site.newUser()]
    const page = await on.visit('en')
    const t = await openPerson(page, 'en', first.email, '/')
    await act(page, t, { kind: 'sign_out' })
    await page.evaluate((id) => location.assign(`#person/${id}`), second.userId)
    await page.getByText(second.userId).first().waitFor()
    await expect.poll(() => page.locator('.desk-person [role=status]').first().textContent()).toBe('')
    await page.context().close()
  })

  it('counts the videos of a bulk again if their number has changed', async () => {
    let count = 2
    const group = { state: 'failed', code: 'render_failed', engine: 'minimax', count, credits: 60, people: 1 }
    const { page, t } = await on.open('en', async (_, page) => {
      const groups = [{ ...group, since: '2026-01-01T00:00:00.000Z' }]
      await page.route(`**${readTriage.path}`, (route) => route.fulfill({ json: { success: true, groups, bulks: [] } }))
      await page.route(`**${orderBulk.path}`, (route) => {
        const answer = { count, credits: 30 * count, people: 1, bulk: null }
        if ((route.request().postDataJSON() as { dry_run: boolean }).dry_run) return route.fulfill({ json: answer })
        count = 3
        return problem(409, 'count_changed')(route)
      })
    })
    const name = t.triage.kinds.retry_task
    await page.getByRole('button', { name }).click()
    const dialog = page.getByRole('dialog')
    const counted = (videos: string, credits: string) =>
      t.triage.dryRun.replace('{{videos}}', videos).replace('{{credits}}', credits).replace('{{people}}', '1')
    await dialog.getByText(counted('2', '60')).waitFor()
    await dialog.getByLabel(t.desk.reason).fill('After the outage')
    await dialog.getByRole('button', { name, exact: true }).click()
    await dialog.getByText(counted('3', '90')).waitFor()
    await expect.poll(() => dialog.getByLabel(t.desk.reason).inputValue()).toBe('After the outage')
    await page.context().close()
  })

  it.each(languagesInTurn())('leads a case from its opening to its end (%s)', async (language) => {
    const user = await on.site.newUser()
    await buyPlan(on.site, user, 'pro')
    await user.call('POST', '/subscriptions/cancel', { cancel_at_period_end: false })
    const page = await on.visit(language)
    const t = await words(language, 'dashboard')
    const prefix = language === 'zh' ? '/zh' : ''
    await page.goto(`${on.site.url}${prefix}/admin/dashboard`)
    const panel = page.getByRole('region', { name: t.cases.heading })
    await panel.getByRole('combobox', { name: t.cases.kind }).selectOption('refund')
    await panel.getByRole('link', { name: t.cases.kinds.refund }).first().click()
    await page.getByRole('heading', { level: 2, name: t.cases.kinds.refund }).waitFor()
    await page.getByRole('button', { name: t.cases.take }).click()
    await page.getByRole('button', { name: t.cases.giveBack }).waitFor()
    const download = page.waitForEvent('download')
    await page.getByRole('button', { name: t.cases.dossier }).click()
    expect((await download).suggestedFilename()).toMatch(/^case-.*\.pdf$/)
    for (const width of sampled([390, 1280, 1680])) {
      await page.setViewportSize({ width, height: 1080 })
      expect(await axeFaults(page)).toEqual([])
      expect(await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)).toBeLessThanOrEqual(0)
    }
    await page.getByRole('button', { name: t.cases.close }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel(t.cases.note).fill('paid by bank')
    expect(await axeFaults(page)).toEqual([])
    await dialog.getByRole('button', { name: t.cases.close, exact: true }).click()
    await dialog.waitFor({ state: 'detached' })
    await page.getByText('paid by bank').first().waitFor()
    await expect.poll(() => page.getByRole('button', { name: t.cases.close }).count()).toBe(0)
    await page.context().close()
  })
})
