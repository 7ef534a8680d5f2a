import { expect, it } from 'vitest'
import { operatorFactors, overview, userList } from '#backend/operators/contract.ts'
import { sampled } from '#backend/testing/sampled.ts'
import { axeFaults } from '../testing/axeFaults.ts'
import { OVERVIEW, usersOf } from '../testing/boardDouble.ts'
import { languagesInTurn } from '../testing/languagesInTurn.ts'
import { describeOnBoard } from '../testing/onBoard.ts'
import { words } from '../testing/walkJourney.ts'

describeOnBoard('the operator’s board, without a step-up', (on) => {
  it.each(languagesInTurn())('shows whole addresses after a code of the second factor (%s)', async (language) => {
    const { page, panel, t } = await on.open(language, (state) => {
      let steppedUp = false
      const masked = () => (steppedUp ? {} : { masked: true })
      state.rare.set(operatorFactors.stepUp.path, (route) => {
        const isCode = route.request().method() === 'POST'
        steppedUp ||= isCode
        if (isCode) return route.fulfill({ json: { message: 'Confirmed.' } })
        return steppedUp
          ? route.fulfill({ status: 204 })
          : route.fulfill({ status: 403, json: { code: 'step_up_required' } })
      })
      const ip = () => (steppedUp ? '203.0.113.11' : '203.0.113.0/24')
      state.answers.set(overview.path, () => ({
        ...masked(),
        data: { ...OVERVIEW, recent_visits: OVERVIEW.recent_visits.map((visit) => ({ ...visit, ip: ip() })) },
      }))
      state.answers.set(userList.path, (query) => {
        const { users, pagination } = usersOf(query)
        const shown = users.map((user) => (steppedUp ? user : { ...user, email: 'g•••@k•••.test' }))
        return { ...masked(), users: shown, pagination }
      })
    })
    const auth = await words(language, 'auth')
    const show = page.getByRole('button', { name: t.masked.show, exact: true })
    await panel(t.users.heading).getByText('g•••@k•••.test').first().waitFor()
    await page.getByText(t.masked.text).waitFor()
    for (const width of sampled([390, 1280])) {
      await page.setViewportSize({ width, height: 1080 })
      expect(await axeFaults(page)).toEqual([])
    }
    // A cancelled dialog leaves the board as it is.
    await show.click()
    await page.getByRole('dialog').waitFor()
    await page.keyboard.press('Escape')
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    await show.click()
    await page.getByLabel(auth.second.code, { exact: true }).fill('123456')
    await page.getByRole('button', { name: auth.second.submit, exact: true }).click()
    await panel(t.users.heading).getByText('grace.hopper.1@kinora.test').waitFor()
    await panel(t.visits.heading).getByText('203.0.113.11').first().waitFor()
    await expect.poll(() => show.count()).toBe(0)
    await page.context().close()
  })
})
