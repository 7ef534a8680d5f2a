import { expect, it } from 'vitest'
import { registerUser } from '#backend/testing/testUser.ts'
import { languagesInTurn } from '../testing/languagesInTurn.ts'
import { describeOnSite } from '../testing/onSite.ts'
import { words } from '../testing/walkJourney.ts'

describeOnSite('the profile', (site) => {
  it('requires a sign-in, which returns to it', async () => {
    const page = await site.visit({ language: 'zh' })
    await page.goto(`${site.url}/zh/profile`)
    expect(new URL(page.url()).pathname + new URL(page.url()).search).toBe('/zh/auth/login?next=%2Fzh%2Fprofile')
    await page.context().close()
  })

  it.each(languagesInTurn())(
    'changes name, language, password and devices, and deletes the account (%s)',
    async (language) => {
      const [t, common, errors, auth] = await Promise.all(
        ['profile', 'common', 'errors', 'auth'].map((name) => words(language, name)),
      )
      const email = `profile.${language}.${Date.now()}@kinora.test`
      const user = await registerUser(site.url, email)
      await user.call('PUT', '/users/language', { language })
      const login = { email, password: 'correct horse' }
      const headers = { 'content-type': 'application/json' }
      await fetch(`${site.url}/api/v1/auth/login`, { method: 'POST', headers, body: JSON.stringify(login) })
      const page = await site.visit({ language, user })
      const main = page.locator('main')
      const button = (name: string) => page.getByRole('button', { name, exact: true })
      const fill = (label: string, text: string) => page.getByLabel(label, { exact: true }).fill(text)
      const toast = (text: string) => page.locator('.toast', { hasText: text }).waitFor()
      const home = `${site.url}${language === 'zh' ? '/zh' : ''}`
      await page.goto(`${home}/profile`)
      await main.getByText(email).waitFor()

      await fill(t.info.name, 'x')
      await button(t.save).click()
      await main.getByText(errors.name_too_short).waitFor()
      await fill(t.info.name, 'Grace Hopper')
      await button(t.save).click()
      await toast(t.saved)
      await expect.poll(() => page.locator('[data-user="name"]').first().textContent()).toBe('Grace Hopper')

      await page.goto(`${home}/profile/security`)
      await main.locator('#devices').getByRole('listitem').first().waitFor()
      await expect.poll(() => main.locator('#devices').getByRole('listitem').count()).toBe(2)
      await main.getByText(t.devices.this).waitFor()
      await button(t.devices.endOthers).click()
      await toast(t.devices.othersEnded)
      await expect.poll(() => main.locator('#devices').getByRole('listitem').count()).toBe(1)

      await fill(t.password.current, 'not my horse')
      await fill(t.password.next, 'a better horse')
      await fill(t.password.confirm, 'a worse horse')
      await button(t.password.submit).click()
      await main.getByText(errors.passwords_differ).waitFor()
      await fill(t.password.confirm, 'a better horse')
      await button(t.password.submit).click()
      await main.getByText(errors.wrong_password).waitFor()
      await fill(t.password.current, 'correct horse')
      await button(t.password.submit).click()
      await toast(t.password.done)
      await expect.poll(() => page.getByLabel(t.password.current, { exact: true }).inputValue()).toBe('')

      await page.goto(`${home}/profile/settings`)
      const other = language === 'zh' ? 'en' : 'zh'
      await page.route('**/api/v1/users/language', (route) => route.fulfill({ status: 500, json: {} }), { times: 1 })
      await main.getByRole('radio', { name: common.language[other] }).check({ force: true })
      await toast(common.session.languageFailed)
      await expect.poll(() => main.getByRole('radio', { name: common.language[language] }).isChecked()).toBe(true)

      await button(t.delete.open).click()
      const dialog = page.getByRole('dialog', { name: t.delete.title })
      await page.keyboard.press('Escape')
      await dialog.waitFor({ state: 'hidden' })
      await button(t.delete.open).click()
      await fill(t.delete.password, 'correct horse')
      await dialog.getByRole('button', { name: t.delete.confirm }).click()
      await dialog.getByText(errors.wrong_password).waitFor()
      await fill(t.delete.password, 'a better horse')
      await dialog.getByRole('button', { name: t.delete.confirm }).click()
      await page.getByRole('heading', { name: t.delete.doneHeading }).waitFor()
      await page.getByRole('link', { name: t.delete.home }).click()
      await page.waitForURL(language === 'zh' ? home : `${home}/`)
      await page.goto(`${site.url}/auth/login`)
      await fill(auth.field.email, email)
      await fill(auth.field.password, 'a better horse')
      await page.locator('main').getByRole('button', { name: auth.login.submit, exact: true }).click()
      await page.getByText(errors.invalid_credentials).waitFor()
      await page.context().close()
    },
  )
})
