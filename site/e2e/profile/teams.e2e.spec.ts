import type { Page } from 'playwright'
import { expect, it } from 'vitest'
import { sampled } from '#backend/testing/sampled.ts'
import { axeFaults } from '../testing/axeFaults.ts'
import { type Language, languagesInTurn } from '../testing/languagesInTurn.ts'
import { JOINED_TEAM, OWN_TEAM, openMoneyDouble } from '../testing/moneyDouble.ts'
import { describeOnSite } from '../testing/onSite.ts'
import { words } from '../testing/walkJourney.ts'
import { problem } from '../testing/workspaceDouble.ts'

const WIDTHS = [390, 1280]

/** Expects no axe violation and no horizontal overflow at any width. Takes pictures if `KINORA_SHOTS` names a folder. */
async function expectNoFaults(page: Page, name: string): Promise<void> {
  for (const width of sampled(WIDTHS)) {
    await page.setViewportSize({ width, height: 860 })
    const overflow = await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth)
    expect([name, width, overflow, await axeFaults(page)]).toEqual([name, width, 0, []])
    const shots = process.env.KINORA_SHOTS
    const isDialog = (await page.locator('dialog[open]').count()) > 0
    if (shots) await page.screenshot({ path: `${shots}/${name}-${width}.png`, fullPage: !isDialog })
  }
}

describeOnSite('teams', (site) => {
  const open = async (language: Language) => {
    const page = await site.visit({ language })
    const state = await openMoneyDouble(page, site.url, language)
    const home = `${site.url}${language === 'zh' ? '/zh' : ''}`
    const [t, errors] = await Promise.all(['teams', 'errors'].map((name) => words(language, name)))
    const button = (name: string) => page.getByRole('button', { name, exact: true })
    return { page, state, home, t, errors, button, dialog: page.locator('dialog[open]') }
  }

  it.each(languagesInTurn())('are shown in every state (%s)', async (language) => {
    const { page, state, home, t, errors, button, dialog } = await open(language)
    await page.goto(`${home}/profile/teams`)
    await page.getByRole('heading', { name: t.empty.title }).waitFor()
    await expectNoFaults(page, `teams-none-${language}`)

    state.teams = { teams: [], can_create: true }
    await page.reload()
    await button(t.create.open).click()
    await dialog.getByRole('button', { name: t.create.submit }).click()
    await dialog.getByText(errors.required).waitFor()
    await expectNoFaults(page, `teams-create-${language}`)
    state.server.rare.set('POST /teams', problem(409, 'team_exists'))
    await dialog.getByLabel(t.create.name).fill('Lighthouse Studio')
    await dialog.getByRole('button', { name: t.create.submit }).click()
    await dialog.getByText(errors.team_exists).waitFor()

    state.teams = { teams: [OWN_TEAM, JOINED_TEAM], can_create: false }
    await page.reload()
    const own = page.locator(`[data-team="${OWN_TEAM.id}"]`)
    const tones = () =>
      own.locator('.key-spent').evaluateAll((bars) => bars.map((bar) => (bar as HTMLElement).dataset.tone))
    await expect.poll(tones).toEqual([undefined, undefined, 'warning', 'danger'])
    await own.getByText(t.invite.full).waitFor()
    await expectNoFaults(page, `teams-both-${language}`)
    await button(t.limit.openOf.replace('{{name}}', 'Grace Hopper')).click()
    await dialog.getByLabel(t.invite.limit).fill('many')
    await dialog.getByRole('button', { name: t.limit.submit }).click()
    await dialog.getByText(errors.invalid_number).waitFor()
    await expectNoFaults(page, `teams-limit-${language}`)
    await page.keyboard.press('Escape')
    for (const [kind, name] of [
      ['close', OWN_TEAM.name],
      ['leave', JOINED_TEAM.name],
    ] as const) {
      await button(t[kind].openOf.replace('{{team}}', name)).click()
      await dialog.getByText(t[kind].text).waitFor()
      await expectNoFaults(page, `teams-${kind}-${language}`)
      await page.keyboard.press('Escape')
    }

    state.server.rare.set('GET /teams', problem(503, 'unavailable'))
    await page.reload()
    await page.getByText(t.failed).waitFor()
    await expectNoFaults(page, `teams-failed-${language}`)
    await page.context().close()
  })

  it.each(languagesInTurn())('pay for what a key orders (%s)', async (language) => {
    const { page, state, home, button, dialog } = await open(language)
    const t = await words(language, 'keys')
    state.teams = { teams: [OWN_TEAM, JOINED_TEAM], can_create: false }
    await page.goto(`${home}/profile/developers`)
    await button(t.create).click()
    await dialog.getByLabel(t.form.name).fill('n8n')
    await dialog.getByRole('radio', { name: JOINED_TEAM.name }).check({ force: true })
    await dialog.getByText(t.form.payerHint).waitFor()
    await dialog.getByLabel(t.form.password, { exact: true }).fill('correct horse')
    await expectNoFaults(page, `teams-key-${language}`)
    const sent = page.waitForRequest((request) => request.method() === 'POST' && request.url().endsWith('/keys'))
    await dialog.getByRole('button', { name: t.form.submit, exact: true }).click()
    expect((await sent).postDataJSON()).toMatchObject({ team_id: JOINED_TEAM.id })
    await page.context().close()
  })

  it.each(languagesInTurn('zh'))(
    'say on the credits page who spent, and what the user spent of others (%s)',
    async (language) => {
      const { page, state, home } = await open(language)
      const t = await words(language, 'credits')
      state.teams = { teams: [OWN_TEAM, JOINED_TEAM], can_create: false }
      state.entries = [
        { ...state.entries[0]!, id: 'mine' },
        { ...state.entries[0]!, id: 'theirs', by: { id: 'm1', name: 'Grace Hopper' } },
      ]
      await page.goto(`${home}/profile/credits`)
      const by = page.locator(`#credits td[data-label="${t.by}"]`)
      await expect.poll(() => by.allInnerTexts()).toEqual([t.byYou, 'Grace Hopper'])
      await expectNoFaults(page, `teams-credits-${language}`)
      const asked = page.waitForRequest((request) => request.url().includes(`team_id=${JOINED_TEAM.id}`))
      await page.getByRole('radio', { name: JOINED_TEAM.name }).check({ force: true })
      await asked
      await page.getByText(t.leadTeam).waitFor()
      await page.locator(`#credits a[download][href$="team_id=${JOINED_TEAM.id}"]`).waitFor()
      await page.context().close()
    },
  )

  it.each(languagesInTurn())('invite by a page that says what joining means (%s)', async (language) => {
    const { page, state, home, t, errors, button } = await open(language)
    const shown = { team: 'Harbour Films', owner: 'Grace Hopper', email: 'ada@kinora.test', credits_per_month: 300 }
    const invitation = (over: object) =>
      state.server.rare.set('POST /teams/invitations/preview', (route) =>
        route.fulfill({ json: { ...shown, ...over } }),
      )
    const address = `${home}/team/join#token=${'k'.repeat(43)}`
    invitation({ has_account: true, signed_in: true })
    await page.goto(address)
    await button(t.join.accept).waitFor()
    await expectNoFaults(page, `join-in-${language}`)
    state.server.rare.set('POST /teams/invitations/accept', problem(409, 'seats_full'))
    await button(t.join.accept).click()
    await page.getByText(errors.seats_full).waitFor()
    const joined = { team: JOINED_TEAM }
    state.server.rare.set('POST /teams/invitations/accept', (route) => route.fulfill({ json: joined }))
    await button(t.join.accept).click()
    await page.getByRole('heading', { name: t.join.done.replace('{{team}}', JOINED_TEAM.name) }).waitFor()
    await expectNoFaults(page, `join-done-${language}`)

    await page.context().clearCookies()
    state.server.rare.set('GET /auth/me', problem(401, 'unauthenticated'))
    state.server.rare.set('POST /auth/refresh', problem(401, 'unauthenticated'))
    invitation({ has_account: false, signed_in: false })
    await page.reload()
    await button(t.join.acceptNew).waitFor()
    await expectNoFaults(page, `join-new-${language}`)
    invitation({ has_account: true, signed_in: false })
    await page.reload()
    await expectNoFaults(page, `join-out-${language}`)
    await button(t.join.signIn).click()
    await page.waitForURL(`${home}/auth/login`)

    state.server.rare.set('POST /teams/invitations/preview', problem(400, 'token_invalid'))
    await page.goto('about:blank')
    await page.goto(address)
    await page.getByRole('heading', { name: t.join.refused }).waitFor()
    await expectNoFaults(page, `join-refused-${language}`)
    await page.context().close()
  })

  it('are joined by a new account that cannot be read at once', async () => {
    const { page, state, home, t, button } = await open('en')
    await page.context().clearCookies()
    state.server.rare.set('GET /auth/me', problem(401, 'unauthenticated'))
    state.server.rare.set('POST /auth/refresh', problem(401, 'unauthenticated'))
    const shown = { team: JOINED_TEAM.name, owner: 'Grace Hopper', email: 'ada@kinora.test', credits_per_month: null }
    const json = { ...shown, has_account: false, signed_in: false }
    state.server.rare.set('POST /teams/invitations/preview', (route) => route.fulfill({ json }))
    state.server.rare.set('POST /teams/invitations/accept', (route) => route.fulfill({ json: { team: JOINED_TEAM } }))
    await page.goto(`${home}/team/join#token=${'k'.repeat(43)}`)
    await button(t.join.acceptNew).waitFor()
    state.server.rare.set('GET /auth/me', problem(503, 'unavailable'))
    await button(t.join.acceptNew).click()
    await page.getByRole('heading', { name: t.join.done.replace('{{team}}', JOINED_TEAM.name) }).waitFor()
    await page.context().close()
  })
})
