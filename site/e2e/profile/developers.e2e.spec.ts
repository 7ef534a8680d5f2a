import type { Page } from 'playwright'
import { expect, it } from 'vitest'
import { sampled } from '#backend/testing/sampled.ts'
import { axeFaults } from '../testing/axeFaults.ts'
import { type Language, languagesInTurn } from '../testing/languagesInTurn.ts'
import { FIVE_KEYS, keyOf, openMoneyDouble } from '../testing/moneyDouble.ts'
import { describeOnSite } from '../testing/onSite.ts'
import { words } from '../testing/walkJourney.ts'
import { problem } from '../testing/workspaceDouble.ts'

const KEY = /^kin_[0-9A-Za-z]{38}$/
const WIDTHS = [390, 1280]

const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true })
const dialogOf = (page: Page) => page.locator('dialog[open]')

/** Checks the page with axe and for horizontal overflow at each width. */
async function expectNoFaults(page: Page, name: string) {
  for (const width of sampled(WIDTHS)) {
    await page.setViewportSize({ width, height: 860 })
    const overflow = await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth)
    expect([name, width, overflow, await axeFaults(page)]).toEqual([name, width, 0, []])
    const shots = process.env.KINORA_SHOTS
    if (!shots) continue
    const isDialog = (await dialogOf(page).count()) > 0
    await page.screenshot({ path: `${shots}/${name}-${width}.png`, fullPage: !isDialog })
  }
}

describeOnSite('the tab for developers', (site) => {
  const addressOf = (language: Language) => `${site.url}${language === 'zh' ? '/zh' : ''}/profile/developers`
  /** Returns the status of a call with a key. */
  const statusWith = async (key: string) =>
    (await fetch(`${site.url}/v1/models`, { headers: { authorization: `Bearer ${key}` } })).status

  it.each(languagesInTurn())('makes a key that is shown once, rotates it and ends it (%s)', async (language) => {
    const [t, errors] = await Promise.all(['keys', 'errors'].map((name) => words(language, name)))
    const user = await site.newUser()
    await user.call('PUT', '/users/language', { language })
    const page = await site.visit({ language, user })
    const dialog = dialogOf(page)
    const confirm = async (submit: string) => {
      await dialog.getByLabel(t.form.password, { exact: true }).fill('correct horse')
      await dialog.getByRole('button', { name: submit, exact: true }).click()
    }
    /** Returns the key that the dialog shows, after attempts to leave it. */
    const shown = async () => {
      await dialog.getByRole('heading', { name: t.shown.title }).waitFor()
      const key = (await dialog.locator('.key-shown').textContent()) ?? ''
      for (const press of ['Escape', 'Escape']) await page.keyboard.press(press)
      await page.mouse.click(5, 5)
      await expect.poll(() => dialog.locator('.key-shown').textContent()).toBe(key)
      await expect.poll(() => dialog.getByRole('button').allInnerTexts()).toEqual([t.copy, t.shown.done])
      return key
    }
    /** Closes the dialog, which leaves the focus in the section. */
    const finish = async () => {
      await button(page, t.shown.done).click()
      await dialog.waitFor({ state: 'detached' })
      await expect.poll(() => page.locator('#developers :focus').count()).toBe(1)
    }
    await page.goto(addressOf(language))
    await page.getByRole('heading', { name: t.emptyTitle }).waitFor()
    await expectNoFaults(page, `developers-empty-${language}`)

    await button(page, t.create).click()
    await dialog.getByLabel(t.scope['videos:read']).uncheck()
    await dialog.getByLabel(t.scope['videos:write']).uncheck()
    await dialog.getByLabel(t.form.perDay).fill('many')
    await dialog.getByText(t.form.more).click()
    await dialog.getByLabel(t.form.networks).fill('office')
    await dialog.getByText(t.form.more).click()
    await dialog.getByRole('button', { name: t.form.submit, exact: true }).click()
    for (const text of [errors.required, t.form.scopesRequired, errors.invalid_number, errors.invalid_network])
      await dialog.getByText(text, { exact: true }).first().waitFor()
    expect(await dialog.getByLabel(t.form.name).evaluate((field) => field === document.activeElement)).toBe(true)
    await expectNoFaults(page, `developers-faults-${language}`)

    await dialog.getByLabel(t.form.name).fill('Open WebUI')
    await dialog.getByLabel(t.scope['videos:read']).check()
    await dialog.getByLabel(t.form.perDay).fill('300')
    await dialog.getByLabel(t.form.networks).fill('')
    await dialog.getByLabel(t.form.password, { exact: true }).fill('wrong horse')
    await dialog.getByRole('button', { name: t.form.submit, exact: true }).click()
    await dialog.getByText(errors.wrong_password).waitFor()
    await confirm(t.form.submit)

    const key = await shown()
    expect(key).toMatch(KEY)
    await expectNoFaults(page, `developers-shown-${language}`)
    await finish()
    expect(await statusWith(key)).toBe(200)
    await page.reload()
    const card = page.locator('[data-key]')
    await card.getByText(`kin_…${key.slice(-4)}`).waitFor()
    await card.getByText(t.scope['videos:read']).waitFor()
    await expect.poll(() => card.getByRole('meter').count()).toBe(1)
    expect(await page.content()).not.toContain(key)

    await card.getByRole('button', { name: t.rotate }).click()
    await dialog.getByLabel(t.form.password, { exact: true }).waitFor()
    await expectNoFaults(page, `developers-rotate-${language}`)
    await dialog.getByRole('radio', { name: t.rotation.now }).check({ force: true })
    await confirm(t.rotation.submit)
    const next = await shown()
    await finish()
    await card.getByText(`kin_…${next.slice(-4)}`).waitFor()
    expect([next !== key, await statusWith(key), await statusWith(next)]).toEqual([true, 401, 200])

    await card.getByRole('button', { name: t.end }).click()
    await button(page, t.ending.confirm).click()
    await page.getByRole('heading', { name: t.emptyTitle }).waitFor()
    expect(await statusWith(next)).toBe(401)
    await page.context().close()
  })

  it.each(languagesInTurn())('lists keys in every state (%s)', async (language) => {
    const t = await words(language, 'keys')
    const page = await site.visit({ language })
    const state = await openMoneyDouble(page, site.url, language)
    state.keys = [...FIVE_KEYS]
    await page.goto(addressOf(language))
    const cards = page.locator('[data-key]')
    await expect.poll(() => cards.count()).toBe(5)
    const tones = (name: string) =>
      page
        .locator(`[data-key=${name}] [data-tone]`)
        .evaluateAll((parts) => parts.map((part) => (part as HTMLElement).dataset.tone))
    await expect
      .poll(async () => [await tones('k1'), await tones('k2'), await tones('k3')])
      .toEqual([[], ['warning', 'warning'], ['danger']])
    await cards.first().getByText('203.0.113.0/24').waitFor()
    await cards.nth(1).getByText(t.unused).waitFor()
    for (const scope of ['account:read', 'webhooks:write'])
      await cards.nth(2).getByText(t.scope[scope], { exact: true }).waitFor()
    await expectNoFaults(page, `developers-five-${language}`)
    await page.context().close()
  })

  it('explains how an account without a password or passkey gets a key', async () => {
    const t = await words('en', 'keys')
    const page = await site.visit({ language: 'en' })
    const { server } = await openMoneyDouble(page, site.url, 'en')
    server.rare.set('GET /users/password', (route) => route.fulfill({ json: { set: false } }))
    server.rare.set('POST /keys', problem(403, 'mail_required'))
    await page.goto(addressOf('en'))
    await button(page, t.create).click()
    await dialogOf(page).getByText(t.form.noPassword).waitFor()
    await dialogOf(page).getByLabel(t.form.name).fill('Script')
    await button(page, t.form.submit).last().click()
    await dialogOf(page).getByText(t.form.needsPassword).waitFor()
    await page.context().close()
  })

  it('opens the key again that the browser closes', async () => {
    const t = await words('en', 'keys')
    const page = await site.visit({ language: 'en' })
    const { server } = await openMoneyDouble(page, site.url, 'en')
    const key = `kin_${'a'.repeat(38)}`
    server.rare.set('POST /keys', (route) => route.fulfill({ status: 201, json: { ...keyOf('k1'), key } }))
    server.rare.set('GET /keys', (route) => route.fulfill({ json: { keys: [] } }))
    await page.goto(addressOf('en'))
    await button(page, t.create).click()
    await dialogOf(page).getByLabel(t.form.name).fill('Script')
    await dialogOf(page).getByLabel(t.form.password, { exact: true }).fill('correct horse')
    await page.keyboard.press('Enter')
    const shown = dialogOf(page).getByText(key, { exact: true })
    await shown.waitFor()
    await dialogOf(page).evaluate((dialog: HTMLDialogElement) => dialog.close())
    await shown.waitFor()
    await button(page, t.shown.done).click()
    await dialogOf(page).waitFor({ state: 'detached' })
    await page.context().close()
  })
})
