import type { Page } from 'playwright'
import { expect, it } from 'vitest'
import { sampled } from '#backend/testing/sampled.ts'
import { languagesInTurn } from './testing/languagesInTurn.ts'
import { describeOnSite } from './testing/onSite.ts'
import { words } from './testing/walkJourney.ts'

/** Withholds scripts of a page until the function that it returns is called. */
async function holdScripts(page: Page, address: RegExp): Promise<() => void> {
  const { promise, resolve } = Promise.withResolvers<void>()
  await page.route(address, (route) => promise.then(() => route.continue()))
  return resolve
}

describeOnSite('the header', (site) => {
  it.each(languagesInTurn())('shows visitors the current page and the links to sign in (%s)', async (language) => {
    const { nav, account, footer } = await words(language, 'common')
    const prefix = language === 'zh' ? '/zh' : ''
    const page = await site.visit({ language })
    const current = () => page.locator('.header [aria-current=page]:visible').allInnerTexts()
    for (const [address, item] of [
      ['/', nav.home],
      ['/home', nav.home],
    ]) {
      await page.goto(site.url + prefix + address)
      await expect.poll(current).toEqual([item])
    }
    const items = page.getByRole('navigation', { name: nav.main }).getByRole('link')
    await expect.poll(() => items.allInnerTexts()).toEqual([nav.home, nav.workspace, nav.faq, nav.pricing])
    await items.last().click()
    await expect.poll(() => page.evaluate(() => scrollY)).toBeGreaterThan(500)
    await page.getByRole('link', { name: nav.homeLink }).click()
    await expect.poll(() => page.evaluate(() => scrollY)).toBe(0)
    await page.goto(`${site.url}${prefix}/auth/login`)
    await expect.poll(current).toEqual([])
    await expect.poll(() => items.last().getAttribute('href')).toBe(`${prefix || '/'}?section=pricing`)
    const header = page.getByRole('banner')
    await expect
      .poll(() => header.getByRole('link', { name: account.register }).getAttribute('href'))
      .toBe(`${prefix}/auth/register`)
    await expect.poll(() => page.locator('.balance:visible, .avatar:visible').count()).toBe(0)
    const foot = page.getByRole('contentinfo')
    await expect
      .poll(() => foot.getByRole('link', { name: footer.privacy }).getAttribute('href'))
      .toBe(`${prefix}/privacy`)
    await expect.poll(() => foot.getByRole('link', { name: footer.terms }).getAttribute('href')).toBe(`${prefix}/terms`)
    await foot.getByRole('button', { name: footer.contact }).click()
    await page.getByRole('link', { name: 'support@kinora.example' }).waitFor()
    await page.context().close()
  })

  it.each(languagesInTurn())('shows members their name and balance (%s)', async (language) => {
    const { nav, account, unknown } = await words(language, 'common')
    const prefix = language === 'zh' ? '/zh' : ''
    const user = await site.newUser(`a.long.address.${language}@kinora.test`)
    await user.call('PUT', '/users/language', { language })
    const page = await site.visit({ language, user })
    const warnings: string[] = []
    page.on('console', (line) => line.type() === 'warning' && warnings.push(line.text()))
    await page.goto(`${site.url}${prefix}/workspace`)
    await expect.poll(() => page.locator('.balance [data-user]').textContent()).toBe('60')
    await expect
      .poll(() => page.locator('.header [aria-current=page]:visible').allInnerTexts())
      .toEqual([nav.workspace])
    await page.route('**/api/v1/subscriptions/stats', (route) => route.fulfill({ status: 500, json: {} }))
    await page.goto(site.url + prefix)
    await expect.poll(() => warnings.join()).toContain('credit balance')
    await expect.poll(() => page.locator('.balance [data-user]').textContent()).toBe('60')
    await page.evaluate(() => localStorage.removeItem('kinora.user'))
    await page.reload()
    await expect.poll(() => page.locator('.balance [data-user]').textContent()).toBe(`–${unknown}`)
    await expect.poll(() => page.locator('.toast').count()).toBe(0)

    await page.getByRole('button', { name: account.menu }).click()
    const menu = page.locator('#account-menu')
    await expect.poll(() => menu.textContent()).toContain('a.long.address.…')
    await expect
      .poll(() => menu.getByRole('link', { name: account.profile }).getAttribute('href'))
      .toBe(`${prefix}/profile`)
    await page.keyboard.press('Escape')

    await page.setViewportSize({ width: 767, height: 860 })
    await page.getByRole('button', { name: nav.openMenu }).click()
    const drawer = page.getByRole('dialog', { name: nav.menu })
    const labels = [nav.home, nav.workspace, nav.library, nav.faq, nav.pricing, account.profile]
    await expect.poll(() => drawer.getByRole('navigation').getByRole('link').allInnerTexts()).toEqual(labels)
    await expect.poll(() => drawer.textContent()).toContain('a.long.address.…')
    await drawer.getByRole('button', { name: account.logout }).click()
    await page.waitForURL(`${site.url}${prefix}/auth/login`)
    expect(await page.evaluate(() => document.documentElement.dataset.session)).toBe('out')
    await page.context().close()
  })

  it('shows the balance on every page of a member', async () => {
    const user = await site.newUser()
    const pages = ['/faq', '/library', '/profile', '/profile/billing', '/profile/credits', '/profile/invoice?id=none']
    const page = await site.visit({ language: 'en', user })
    // Each page learns the balance itself, as the first one of a member does.
    await page.addInitScript(() => localStorage.clear())
    const shown = () => page.locator('.balance [data-user]').textContent()
    for (const address of [...pages, '/profile/security', '/profile/developers', '/profile/settings', '/workspace']) {
      await page.goto(site.url + address)
      await expect.poll(shown, { message: address }).toBe('60')
    }
    await page.context().close()
  })

  // English has the longer labels.
  it('fits into the width of a tablet without its font', async () => {
    const page = await site.visit({ language: 'en', width: 768, user: await site.newUser() })
    await page.route('**/*.woff2', (route) => route.abort())
    await page.goto(`${site.url}/faq`)
    const balance = page.locator('.balance [data-user]')
    await expect.poll(() => balance.textContent()).toBe('60')
    await balance.evaluate((text) => {
      text.textContent = '115,000'
      document.documentElement.style.setProperty('--font', 'Verdana, "DejaVu Sans", sans-serif')
    })
    await expect.poll(() => page.evaluate(() => document.documentElement.scrollWidth)).toBe(768)
    await page.context().close()
  })

  it('shows the member at the first paint', async () => {
    const page = await site.visit({ language: 'en' })
    await page.route('**/api/v1/**', () => {})
    await page.goto(site.url)
    await page.evaluate(() => {
      localStorage.setItem('kinora.user', JSON.stringify({ name: 'Ada', email: 'ada@kinora.test', credits: 15000 }))
    })
    await page.context().addCookies([{ name: 'kinora_signed_in', value: '1', url: site.url }])
    await page.route('**/*.js', () => {})
    await page.goto(site.url, { waitUntil: 'commit' })
    await page.locator('.avatar', { hasText: 'A' }).waitFor()
    await expect.poll(() => page.locator('.balance [data-user]').textContent()).toBe('15,000')
    await expect.poll(() => page.locator('.only-out:visible').count()).toBe(0)
    await page.context().close()
  })

  it.each(
    sampled([
      ['a public page', '/faq'],
      ['a page with an island', '/auth/login'],
    ]),
  )('repeats a click that came before the scripts of %s', async (_, path) => {
    const page = await site.visit({ language: 'en', width: 390 })
    const release = await holdScripts(page, /\.js$/)
    await page.goto(site.url + path, { waitUntil: 'commit' })
    await page.locator('[data-open-drawer]').click()
    release()
    await page.locator('#drawer[open]').waitFor()
    await page.context().close()
  })

  it('signs out by a click that came before the code of the account', async () => {
    const page = await site.visit({ language: 'en', user: await site.newUser() })
    const release = await holdScripts(page, /\/account\.[^/]*\.js$/)
    await page.goto(`${site.url}/faq`)
    await page.locator('.avatar').click()
    await page.locator('#account-menu [data-logout]').click()
    release()
    await page.waitForURL(`${site.url}/auth/login`)
    await page.context().close()
  })

  it('leads to a reload if its code is gone after a release', async () => {
    const { partMissing, action } = await words('en', 'common')
    const page = await site.visit({ language: 'en', user: await site.newUser() })
    const lose = (file: RegExp) => page.route(file, (route) => route.fulfill({ status: 404, body: '' }))
    await lose(/\/palette\.[^/]*\.js$/)
    await page.goto(`${site.url}/faq`)
    const offer = page.locator('.toast', { hasText: partMissing }).getByRole('link', { name: action.reload })
    await expect
      .poll(async () => {
        if ((await offer.count()) === 0) await page.keyboard.press('Control+k')
        return offer.count()
      })
      .toBe(1)
    await lose(/\/account\.[^/]*\.js$/)
    await page.goto(`${site.url}/faq`)
    await page.locator('.avatar').click()
    const reloaded = page.waitForEvent('load')
    await page.locator('#account-menu [data-logout]').click()
    await reloaded
    await page.unrouteAll()
    await page.goto(`${site.url}/faq`)
    await page.locator('.avatar').click()
    await page.locator('#account-menu [data-logout]').click()
    await page.waitForURL(`${site.url}/auth/login`)
    await page.context().close()
  })
})
