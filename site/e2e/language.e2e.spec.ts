import type { Page } from 'playwright'
import { expect, it } from 'vitest'
import { languagesInTurn } from './testing/languagesInTurn.ts'
import { describeOnSite } from './testing/onSite.ts'
import { words } from './testing/walkJourney.ts'

type Language = 'en' | 'zh'
const other = (language: Language): Language => (language === 'en' ? 'zh' : 'en')
const home = (language: Language) => (language === 'zh' ? '/zh' : '/')
const LANGUAGES: readonly Language[] = ['en', 'zh']

const stored = (page: Page) => page.evaluate(() => localStorage.getItem('language'))
const choose = (page: Page, language: Language) => page.locator(`.header-end [data-language=${language}]`).click()

/** Opens an address that redirects to the slow page `target`, and returns which pages were visible on the way. */
async function pagesSeen(page: Page, address: string, target: string): Promise<string[]> {
  const seen = new Set<string>()
  const looked = Promise.withResolvers<void>()
  await page.exposeFunction('report', (path: string, isVisible: boolean) => {
    if (isVisible) seen.add(path)
    looked.resolve()
  })
  await page.addInitScript(() => {
    const { report } = window as unknown as { report(path: string, isVisible: boolean): void }
    const look = () => {
      const root = document.documentElement as HTMLElement | null
      if (root) report(location.pathname, getComputedStyle(root).visibility === 'visible')
      // A page that is not shown has no animation frames.
      scheduler.postTask(look, { priority: 'background', delay: 20 })
    }
    look()
  })
  await page.route(target, (route) => looked.promise.then(() => route.continue()))
  await page.goto(address)
  await page.waitForURL(target)
  await expect.poll(() => [...seen]).toContain(new URL(target).pathname)
  return [...seen]
}

describeOnSite('the language', (site) => {
  it('is the browser’s for a new visitor, who never sees the other language', async () => {
    for (const language of LANGUAGES) {
      const page = await site.visit({ language })
      if (language === 'zh') expect(await pagesSeen(page, `${site.url}/`, `${site.url}/zh`)).toEqual(['/zh'])
      else await page.goto(site.url)
      expect(await page.evaluate(() => document.documentElement.lang)).toBe(language === 'zh' ? 'zh-CN' : 'en')
      await page.context().close()
    }
  })

  it('is Chinese at a Chinese address in any browser', async () => {
    const page = await site.visit({ language: 'en' })
    await page.goto(`${site.url}/zh`)
    expect(new URL(page.url()).pathname).toBe('/zh')
    await page.context().close()
  })

  it.each(languagesInTurn())('stays as the visitor chose it (%s)', async (language) => {
    const page = await site.visit({ language: other(language) })
    await page.goto(`${site.url}${home(other(language))}?a=1#pricing-section`)
    await choose(page, language)
    await page.waitForURL(`${site.url}${home(language)}?a=1#pricing-section`)
    await expect.poll(() => stored(page)).toBe(language)
    expect(await pagesSeen(page, site.url + home(other(language)), site.url + home(language))).toEqual([home(language)])
    await page.evaluate(() => localStorage.setItem('language', 'fr'))
    await page.goto(`${site.url}/zh`)
    await page.waitForURL(`${site.url}/`)
    await page.context().close()
  })

  it.each(languagesInTurn())('changes without losing the prompt of a visitor (%s)', async (language) => {
    const page = await site.visit({ language: other(language) })
    await page.goto(site.url + home(other(language)))
    await page.locator('#start-prompt').fill('A red fox at dawn')
    await choose(page, language)
    await page.waitForURL(site.url + home(language))
    await expect.poll(() => page.locator('#start-prompt').inputValue()).toBe('A red fox at dawn')
    await page.context().close()
  })

  it.each(languagesInTurn())(
    'is saved on the account of a member and restored after signing in (%s)',
    async (language) => {
      const user = await site.newUser()
      await user.call('PUT', '/users/language', { language: other(language) })
      const page = await site.visit({ language: other(language), user })
      await page.goto(`${site.url}/workspace`)
      await page.waitForFunction(
        () => document.documentElement.dataset.session === 'in' && localStorage.getItem('language'),
      )
      await choose(page, language)
      const workspace = language === 'zh' ? '/zh/workspace' : '/workspace'
      await page.waitForURL(site.url + workspace)
      await expect.poll(() => stored(page)).toBe(language)
      expect(await (await user.call('GET', '/auth/me')).json()).toMatchObject({ language })
      await page.context().close()

      const elsewhere = await site.visit({ language: other(language) })
      const { field, login } = await words(other(language), 'auth')
      await elsewhere.goto(`${site.url}/auth/login`)
      await elsewhere.getByLabel(field.email, { exact: true }).fill(user.email)
      await elsewhere.getByLabel(field.password, { exact: true }).fill('correct horse')
      await elsewhere.locator('main').getByRole('button', { name: login.submit, exact: true }).click()
      await elsewhere.waitForURL(site.url + workspace)
      await expect.poll(() => stored(elsewhere)).toBe(language)
      await elsewhere.context().close()
    },
  )

  it('is a member’s last choice, although the earlier one was not yet saved', async () => {
    const user = await site.newUser()
    const page = await site.visit({ language: 'en', user })
    await page.goto(`${site.url}/workspace`)
    await page.waitForFunction(() => localStorage.getItem('language'))
    await page.goto(site.url)
    const saved = Promise.withResolvers<void>()
    await page.route('**/api/v1/users/language', (route) => saved.promise.then(() => route.continue()), { times: 1 })
    for (const language of ['zh', 'en'] as const) {
      await choose(page, language)
      await page.locator(`.header-end [data-language=${language}][aria-busy]`).waitFor()
    }
    saved.resolve()
    await expect.poll(() => page.locator('[data-language][aria-busy]').count()).toBe(0)
    expect(new URL(page.url()).pathname).toBe('/')
    expect(await (await user.call('GET', '/auth/me')).json()).toMatchObject({ language: 'en' })
    await page.context().close()
  })

  it.each(languagesInTurn())('does not change if it cannot be saved on the account (%s)', async (language) => {
    const { session } = await words(language, 'common')
    const user = await site.newUser()
    await user.call('PUT', '/users/language', { language })
    const page = await site.visit({ language, user })
    await page.goto(`${site.url}/workspace`)
    await page.waitForFunction(() => localStorage.getItem('language'))
    await page.goto(site.url + home(language))
    await page.route('**/api/v1/users/language', (route) => route.fulfill({ status: 503, json: {} }))
    await choose(page, other(language))
    await page.getByText(session.languageFailed).waitFor()
    expect(new URL(page.url()).pathname).toBe(home(language))
    await expect.poll(() => stored(page)).toBe(language)
    await expect.poll(() => page.locator('[data-language][aria-busy]').count()).toBe(0)
    await expect
      .poll(() => page.locator('.header-end [data-language][aria-current]').getAttribute('data-language'))
      .toBe(language)
    await page.context().close()
  })
})
