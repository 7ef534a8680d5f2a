import type { Locator, Page } from 'playwright'
import { expect, it } from 'vitest'
import { createProviderDouble, type ProviderDouble } from '#backend/providers/video/testing/providerDouble.ts'
import type { Team } from '#backend/teams/contract.ts'
import { FULL } from '#backend/testing/fullRun.ts'
import { buyPlan, postDev, read, readStats } from '#backend/testing/plans.ts'
import { startTestKinora } from '#backend/testing/testKinora.ts'
import { GENERATION } from '#backend/testing/testUser.ts'
import { axeFaults } from '../testing/axeFaults.ts'
import { type Language, languagesInTurn } from '../testing/languagesInTurn.ts'
import { mailedLink } from '../testing/mailedLink.ts'
import { describeInBrowser } from '../testing/onSite.ts'
import { words } from '../testing/walkJourney.ts'

const PROMPT = 'A lighthouse by the sea at night'
const INVITATION = /https?:\S+#token=\S+/
let provider: ProviderDouble

/** Starts a site whose engine holds a film while `provider.answer` says so. */
async function start() {
  provider = await createProviderDouble()
  const kinora = await startTestKinora({ provider })
  return { url: kinora.url, close: () => kinora.close() }
}

const rendering = () => {
  provider.answer = () => ({ kind: 'rendering', percent: 40 })
}
const finish = () => {
  provider.answer = () => ({ kind: 'finished' })
}

async function picture(page: Page, name: string): Promise<void> {
  expect([name, await axeFaults(page)]).toEqual([name, []])
  const shots = process.env.KINORA_SHOTS
  if (shots) await page.screenshot({ path: `${shots}/life-${name}.png`, fullPage: true })
}

/** The pages of two people, by the texts of their language. */
async function textsOf(language: Language) {
  const names = ['teams', 'workspace', 'errors', 'auth', 'library', 'credits', 'common'] as const
  const texts = await Promise.all(names.map((name) => words(language, name)))
  return Object.fromEntries(names.map((name, n) => [name, texts[n]])) as Record<
    (typeof names)[number],
    (typeof texts)[0]
  >
}

const fill = (text: string, values: Readonly<Record<string, string>>) =>
  text.replace(/\{\{(\w+)\}\}/g, (_, name: string) => values[name] ?? '')

describeInBrowser('a team', start, (site) => {
  // In `npm test`, teams.int.spec.ts proves the limits, and teams.e2e.spec.ts and payWith.e2e.spec.ts the pages.
  it.runIf(FULL).each(languagesInTurn())(
    'lets a member spend to a limit, goes on without one who is removed, and ends with the plan (%s)',
    { timeout: 600_000 },
    async (language) => {
      const { teams: t, workspace, errors, auth, library, credits } = await textsOf(language)
      const home = `${site.url}${language === 'zh' ? '/zh' : ''}`
      const width = language === 'zh' ? 390 : 1280
      const [owner, member] = [await site.newUser(), await site.newUser()]
      for (const user of [owner, member]) await user.call('PUT', '/users/language', { language })
      await buyPlan(site, owner, 'ultimate')
      const [mine, theirs] = [await site.visit({ language, user: owner, width }), await site.visit({ language, width })]
      const button = (page: Page | Locator, name: string) => page.getByRole('button', { name, exact: true })
      const dialog = mine.locator('dialog[open]')
      const submit = (name: string) => dialog.getByRole('button', { name, exact: true }).click()
      const team = `Studio ${language}`

      finish()
      await mine.goto(`${home}/profile/teams`)
      await button(mine, t.create.open).click()
      await dialog.getByLabel(t.create.name).fill(team)
      await submit(t.create.submit)
      await button(mine, t.invite.open).click()
      await dialog.getByLabel(t.invite.email).fill(member.email)
      await dialog.getByLabel(t.invite.limit).fill('60')
      await submit(t.invite.submit)
      await mine.getByText(member.email, { exact: true }).waitFor()

      // The invitation leads through the sign-in and back.
      await theirs.goto(await mailedLink(site.url, member.email, INVITATION))
      await theirs.getByRole('heading', { name: fill(t.join.heading, { team }) }).waitFor()
      await button(theirs, t.join.signIn).click()
      await theirs.getByLabel(auth.field.email, { exact: true }).fill(member.email)
      await theirs.getByLabel(auth.field.password, { exact: true }).fill('correct horse')
      await theirs.locator('main').getByRole('button', { name: auth.login.submit, exact: true }).click()
      await button(theirs, t.join.accept).click()
      await theirs.getByRole('link', { name: t.join.workspace }).click()

      const payer = (name: string) =>
        theirs.getByRole('group', { name: workspace.pay.label }).getByRole('radio', { name })
      const order = () => theirs.locator('.generation [type=submit]').click()
      /** Phones show the progress of an order in place of the form, until it has the focus. */
      const backToForm = async () => {
        if (language === 'zh') await theirs.locator('.generate-bar[data-watching]').waitFor()
        await theirs.locator('#prompt').focus()
      }
      const rows = theirs.locator('.queue [data-task]')
      await payer(team).check({ force: true })
      await theirs.locator('#prompt').fill(PROMPT)
      await order()
      await expect.poll(() => rows.first().getAttribute('data-status')).toBe('Success')
      await rows.getByText(workspace.pay.team, { exact: true }).waitFor()
      await backToForm()
      rendering()
      await order()
      await backToForm()
      await theirs.getByText(workspace.pay.limit).waitFor()
      await theirs.getByText(fill(workspace.pay.mine, { used: '60', limit: '60' })).waitFor()
      await picture(theirs, `limit-${language}`)

      // The first film is in the library of the team, until its maker makes it private.
      await mine.goto(`${home}/library`)
      await mine.getByRole('button', { name: library.of.team, exact: true }).click()
      const shared = mine.locator('.library-tile')
      await shared.getByText(fill(library.by, { name: 'Test User' })).waitFor()
      await picture(mine, `shared-${language}`)
      await shared.locator('.library-open').click()
      await button(mine.locator('dialog[open]'), workspace.task.download).waitFor()
      await picture(mine, `viewer-${language}`)
      const album = await theirs.context().newPage()
      await album.goto(`${home}/library`)
      await album.locator('.library-open').first().click()
      await button(album.locator('dialog[open]'), library.viewer.more).click()
      await album.getByRole('menuitem', { name: library.unshare }).click()
      await album.getByText(library.unsharedDone).waitFor()
      await album.close()
      await mine.reload()
      await mine.getByRole('heading', { name: library.teamEmpty }).waitFor()

      // The owner sees who spends, and lifts the limit.
      await mine.goto(`${home}/profile/teams`)
      await mine.locator(`[data-member="${member.userId}"] [data-tone=danger]`).waitFor()
      await picture(mine, `owner-${language}`)
      await button(mine, fill(t.limit.openOf, { name: 'Test User' })).click()
      await dialog.getByLabel(t.invite.limit).fill('')
      await submit(t.limit.submit)
      await mine.getByText(t.limit.done).waitFor()
      const running = await rows.first().getAttribute('data-task')

      // The member sees what the owner spends, without a reload.
      await owner.call('POST', '/videos/generate', GENERATION)
      const left = (await readStats(owner)).remaining_credits.toLocaleString(language === 'zh' ? 'zh-CN' : 'en-US')
      await theirs.getByText(fill(workspace.pay.left, { count: left })).waitFor()

      // Removed while the film is being made: the next is refused, and the film is finished.
      await theirs.reload()
      await expect.poll(() => payer(team).isChecked()).toBe(true)
      await button(mine, fill(t.remove.openOf, { name: 'Test User' })).click()
      await submit(t.remove.confirm)
      await mine.getByText(fill(t.remove.done, { name: 'Test User' })).waitFor()
      await order()
      await theirs.getByText(errors.not_in_team).waitFor()
      await expect.poll(() => theirs.getByRole('group', { name: workspace.pay.label }).count()).toBe(0)
      await picture(theirs, `removed-${language}`)
      const film = async () => (await read<{ status: string }>(owner, `/videos/tasks/${running}`)).status
      expect(await film()).toBe('Processing')
      finish()
      await expect.poll(film).toBe('Success')
      expect((await read<{ teams: Team[] }>(member, '/teams')).teams).toEqual([])

      // The films are the owner's, who also sees who made them, before and after the plan ends.
      await mine.goto(`${home}/library`)
      await expect.poll(() => mine.locator(`.library-tile[data-task="${running}"]`).count()).toBe(1)
      await picture(mine, `library-${language}`)
      await mine.goto(`${home}/profile/credits`)
      await expect.poll(() => mine.locator(`td[data-label="${credits.by}"]`).allInnerTexts()).toContain('Test User')
      await picture(mine, `credits-${language}`)
      await owner.call('POST', '/subscriptions/cancel', { cancel_at_period_end: true })
      await postDev(site, 'clock', { advance_ms: 40 * 24 * 3_600_000 })
      await expect.poll(async () => (await read<{ teams: Team[] }>(owner, '/teams')).teams).toEqual([])
      await mine.goto(`${home}/profile/teams`)
      await mine.getByRole('heading', { name: t.empty.title }).waitFor()
      await mine.goto(`${home}/library`)
      await expect.poll(() => mine.locator(`.library-tile[data-task="${running}"]`).count()).toBe(1)
      await Promise.all([mine.context().close(), theirs.context().close()])
    },
  )

  it.each(languagesInTurn())('is joined by a person without an account (%s)', async (language) => {
    const { teams: t } = await textsOf(language)
    const home = `${site.url}${language === 'zh' ? '/zh' : ''}`
    const owner = await site.newUser()
    await owner.call('PUT', '/users/language', { language })
    await buyPlan(site, owner, 'ultimate')
    const { team } = (await (await owner.call('POST', '/teams', { name: 'Harbour' })).json()) as { team: Team }
    const email = `newcomer.${language}.${Date.now()}@kinora.test`
    await owner.call('POST', `/teams/${team.id}/invitations`, { email })
    const page = await site.visit({ language })
    await page.goto(await mailedLink(site.url, email, INVITATION))
    await page.getByRole('button', { name: t.join.acceptNew, exact: true }).click()
    await page.getByRole('heading', { name: fill(t.join.done, { team: 'Harbour' }) }).waitFor()
    await page.goto(`${home}/profile/teams`)
    await page.locator(`[data-team="${team.id}"]`).waitFor()
    await page.context().close()
  })
})
