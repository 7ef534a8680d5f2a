import { expect, it } from 'vitest'
import { sampled } from '#backend/testing/sampled.ts'
import { axeFaults } from '../testing/axeFaults.ts'
import { languagesInTurn } from '../testing/languagesInTurn.ts'
import { observeShifts, shiftFaults } from '../testing/layoutShift.ts'
import { JOINED_TEAM } from '../testing/moneyDouble.ts'
import { describeOnSite } from '../testing/onSite.ts'
import { words } from '../testing/walkJourney.ts'
import { openDouble, problem } from '../testing/workspaceDouble.ts'

describeOnSite('the choice who pays', (site) => {
  const open = async (language: 'en' | 'zh', team: object) => {
    const page = await site.visit({ language })
    const state = await openDouble(page, site.url, language)
    state.stats = { ...state.stats, in_team: true }
    const teams = { teams: [{ ...JOINED_TEAM, ...team }], can_create: false }
    state.rare.set('GET /teams', (route) => route.fulfill({ json: teams }))
    const [workspace, errors] = await Promise.all(['workspace', 'errors'].map((name) => words(language, name)))
    const { pay, form } = workspace
    const address = `${site.url}${language === 'zh' ? '/zh' : ''}/workspace`
    const group = page.getByRole('group', { name: pay.label })
    const payer = (name: string) => group.getByRole('radio', { name, exact: true })
    const generate = page.getByRole('button', { name: form.generate })
    return { page, state, teams, pay, errors, address, group, payer, generate }
  }

  it.each(languagesInTurn())('shows both balances, is remembered, and is part of the order (%s)', async (language) => {
    const { page, state, teams, pay, errors, address, group, payer, generate } = await open(language, {})
    await observeShifts(page)
    await page.goto(address)
    await payer(JOINED_TEAM.name).check({ force: true })
    await group.getByText(pay.left.replace('{{count}}', '900')).waitFor()
    const mine = pay.mine.replace('{{used}}', '270').replace('{{limit}}', '300')
    await group.getByText(`${pay.left.replace('{{count}}', '14,200')} · ${mine}`).waitFor()
    await page.reload()
    await expect.poll(() => payer(JOINED_TEAM.name).isChecked()).toBe(true)
    await page.waitForLoadState('networkidle')
    expect(await shiftFaults(page)).toEqual([])
    for (const width of sampled([390, 1280])) {
      await page.setViewportSize({ width, height: 860 })
      const overflow = await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth)
      expect([width, overflow, await axeFaults(page)]).toEqual([width, 0, []])
      const shots = process.env.KINORA_SHOTS
      if (shots) await page.screenshot({ path: `${shots}/pay-${language}-${width}.png` })
    }
    await page.locator('#prompt').fill('A lighthouse by the sea at night')
    state.rare.set('POST /videos/generate', problem(402, 'member_limit_reached'))
    await generate.click()
    await page.getByText(errors.member_limit_reached).waitFor()
    state.rare.delete('POST /videos/generate')
    await generate.click()
    await expect.poll(() => state.orders.at(-1)).toMatchObject({ team_id: JOINED_TEAM.id })

    teams.teams = []
    state.rare.set('POST /videos/generate', problem(403, 'not_in_team'))
    await generate.click()
    await page.getByText(errors.not_in_team).waitFor()
    await expect.poll(() => payer(pay.me).isChecked()).toBe(true)
    state.rare.delete('POST /videos/generate')
    const before = state.orders.length
    await generate.click()
    await expect.poll(() => state.orders.length).toBe(before + 1)
    expect(state.orders.at(-1)).not.toHaveProperty('team_id')
    await page.context().close()
  })

  it.each(languagesInTurn())('says why the team cannot pay (%s)', async (language) => {
    const { page, teams, pay, address, payer, generate } = await open(language, { used: 290 })
    await page.goto(address)
    await payer(JOINED_TEAM.name).check({ force: true })
    await page.getByText(pay.limit).waitFor()
    await expect.poll(() => generate.getAttribute('aria-disabled')).toBe('true')
    for (const width of sampled([390, 1280])) {
      await page.setViewportSize({ width, height: 860 })
      expect([width, await axeFaults(page)]).toEqual([width, []])
      const shots = process.env.KINORA_SHOTS
      if (shots) await page.screenshot({ path: `${shots}/pay-short-${language}-${width}.png` })
    }
    await page.getByRole('button', { name: pay.useMine }).click()
    await expect.poll(() => generate.getAttribute('aria-disabled')).toBe(null)

    teams.teams = [{ ...JOINED_TEAM, limit: null, credits_remaining: 12 }]
    await page.reload()
    await payer(JOINED_TEAM.name).check({ force: true })
    await page.getByText(pay.short).waitFor()
    await page.context().close()
  })

  it('is not loaded for people without a team', async () => {
    const page = await site.visit({ language: 'en' })
    const state = await openDouble(page, site.url, 'en')
    const scripts: string[] = []
    page.on('request', (request) => scripts.push(request.url()))
    await page.goto(`${site.url}/workspace`)
    await page.waitForLoadState('networkidle')
    expect(scripts.filter((url) => url.includes('PayWith'))).toEqual([])
    expect(state.calls).not.toContain('GET /teams')
    await page.context().close()
  })
})
