import { readFile } from 'node:fs/promises'
import { expect, it } from 'vitest'
import { axeFaults } from '../testing/axeFaults.ts'
import { languagesInTurn } from '../testing/languagesInTurn.ts'
import { openMoneyDouble } from '../testing/moneyDouble.ts'
import { describeOnSite } from '../testing/onSite.ts'
import { words } from '../testing/walkJourney.ts'

describeOnSite('a setting', (site) => {
  it('shows the chosen language until its page opens', async () => {
    const page = await site.visit({ language: 'en' })
    const { server } = await openMoneyDouble(page, site.url, 'en')
    server.rare.set('PUT /users/language', (route) => route.fulfill({ json: { language: 'zh' } }))
    // The page does not open, so that the earlier one remains.
    const opened = page.waitForRequest('**/zh/profile/settings')
    await page.route('**/zh/profile/settings', (route) => route.abort('aborted'))
    await page.goto(`${site.url}/profile/settings`)
    const { language } = await words('en', 'common')
    const chinese = page.getByRole('radio', { name: language.zh })
    await chinese.check({ force: true })
    await opened
    const chosen = () => page.evaluate(() => document.querySelector('#language input:checked')?.getAttribute('value'))
    await expect.poll(chosen).toBe('zh')
    await page.context().close()
  })

  it.each(languagesInTurn())('downloads what the account holds (%s)', async (language) => {
    const user = await site.newUser()
    await user.call('PUT', '/users/language', { language })
    const page = await site.visit({ language, user, width: language === 'en' ? 1280 : 390 })
    await page.goto(`${site.url}${language === 'zh' ? '/zh' : ''}/profile/settings`)
    const { data } = await words(language, 'profile')
    const downloaded = page.waitForEvent('download')
    await page.getByRole('button', { name: data.download, exact: true }).click()
    const held = JSON.parse(await readFile(await (await downloaded).path(), 'utf8'))
    expect(held).toMatchObject({ user: { email: user.email }, videos: [], pictures: [], invoices: [], keys: [] })
    expect(held.credits).toMatchObject([{ amount: 60 }])
    expect(held.sessions).toMatchObject({ sessions: [{ current: true }] })
    expect(held.security.length).toBeGreaterThan(0)
    expect(await axeFaults(page, '#own-data')).toEqual([])
    if (process.env.KINORA_SHOTS) await page.screenshot({ path: `${process.env.KINORA_SHOTS}/data-${language}.png` })
    await page.context().close()
  })

  it('releases the file of the recovery codes', async () => {
    const page = await site.visit({ language: 'en' })
    const { server } = await openMoneyDouble(page, site.url, 'en')
    const factors = { passkeys: [], totp: true, recovery_codes: 3, missing: false }
    const renewed = { recovery_codes: ['code-1', 'code-2'] }
    server.rare.set('GET /users/factors', (route) => route.fulfill({ json: factors }))
    server.rare.set('POST /users/recovery-codes', (route) => route.fulfill({ json: renewed }))
    await page.goto(`${site.url}/profile/security`)
    const { factors: t } = await words('en', 'profile')
    await page.evaluate(() => {
      const files = new Set<string>()
      const { createObjectURL, revokeObjectURL } = URL
      URL.createObjectURL = (blob) => {
        const address = createObjectURL(blob)
        files.add(address)
        return address
      }
      URL.revokeObjectURL = (address) => {
        files.delete(address)
        revokeObjectURL(address)
      }
      Object.assign(window, { files })
    })
    const files = () => page.evaluate(() => (window as unknown as { files: Set<string> }).files.size)
    await page.getByRole('button', { name: t.renew, exact: true }).click()
    await page.getByRole('dialog', { name: t.codesTitle }).waitFor()
    await page.keyboard.press('Escape')
    expect(await files()).toBe(1)
    const download = page.waitForEvent('download')
    await page.getByRole('link', { name: t.download, exact: true }).click()
    expect((await download).suggestedFilename()).toBe('kinora-recovery-codes.txt')
    await page.getByRole('button', { name: t.saved, exact: true }).click()
    await expect.poll(files).toBe(0)
    await page.context().close()
  })

  it('shows what is chosen in a contrast theme of the system', async () => {
    const page = await site.visit({ language: 'en' })
    await page.emulateMedia({ forcedColors: 'active' })
    await openMoneyDouble(page, site.url, 'en')
    await page.goto(`${site.url}/profile/settings`)
    const { language } = await words('en', 'common')
    const colour = (name: string) =>
      page
        .getByText(name, { exact: true })
        .last()
        .evaluate((text) => getComputedStyle(text).color)
    expect(await colour(language.en)).not.toBe(await colour(language.zh))
    await page.context().close()
  })

  it('fits a name without spaces at 320 px', async () => {
    const page = await site.visit({ language: 'en', width: 320 })
    const { server } = await openMoneyDouble(page, site.url, 'en')
    const passkey = { id: '1', name: 'M'.repeat(60), created_at: '2026-01-01T00:00:00.000Z' }
    const factors = { passkeys: [passkey], totp: true, recovery_codes: 3, missing: false }
    server.rare.set('GET /users/factors', (route) => route.fulfill({ json: factors }))
    const user = { id: 'u', email: 'ada@kinora.test', language: 'en', created_at: '2026-01-01T00:00:00.000Z' }
    const named = { ...user, username: 'M'.repeat(80), full_name: 'M'.repeat(80) }
    server.rare.set('GET /auth/me', (route) => route.fulfill({ json: named }))
    await page.goto(`${site.url}/profile/security`)
    await page.locator('.factor-passkey').waitFor()
    expect(await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)).toBe(0)
    await page.locator('[data-open-drawer]').click()
    const drawer = page.locator('#drawer[open]')
    await drawer.locator('[data-user="name"]').waitFor()
    expect(await drawer.evaluate((element) => element.scrollWidth - element.clientWidth)).toBe(0)
    await page.context().close()
  })

  it('keeps the focus in the name that was saved', async () => {
    const page = await site.visit({ language: 'en' })
    const { server } = await openMoneyDouble(page, site.url, 'en')
    const user = { id: 'u', email: 'ada@kinora.test', language: 'en', created_at: '2026-01-01T00:00:00.000Z' }
    server.rare.set('PUT /users/name', (route) =>
      route.fulfill({ json: { ...user, username: 'Grace', full_name: 'Grace' } }),
    )
    await page.goto(`${site.url}/profile`)
    const { info, saved } = await words('en', 'profile')
    const name = page.getByLabel(info.name, { exact: true })
    await name.fill('Grace')
    await name.press('Enter')
    await page.locator('.toast', { hasText: saved }).waitFor()
    expect(await name.evaluate((field) => field === document.activeElement)).toBe(true)
    await page.context().close()
  })
})
