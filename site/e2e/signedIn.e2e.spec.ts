import { expect, it } from 'vitest'
import { sampled } from '#backend/testing/sampled.ts'
import { languagesInTurn } from './testing/languagesInTurn.ts'
import { describeOnSite } from './testing/onSite.ts'
import { words } from './testing/walkJourney.ts'

describeOnSite('a browser with a session', (site) => {
  it('shows the member on every page without local storage', async () => {
    const user = await site.newUser()
    const page = await site.visit({ language: 'en', user })
    await page.addInitScript(() => Object.defineProperty(window, 'localStorage', { get: () => undefined }))
    await page.goto(`${site.url}/privacy`)
    await page.locator('.avatar', { hasText: /./ }).waitFor()
    await expect.poll(() => page.locator('.only-out:visible').count()).toBe(0)
    await page.context().close()
  })

  it.each(sampled(['/auth/login', '/auth/register']))('is sent on from %s', async (path) => {
    const page = await site.visit({ language: 'en', user: await site.newUser() })
    await page.goto(`${site.url}${path}`, { waitUntil: 'commit' })
    await page.waitForURL(`${site.url}/workspace`)
    await page.goto(`${site.url}${path}?next=%2Ffaq%3Fa%3D1%23b`, { waitUntil: 'commit' })
    await page.waitForURL(`${site.url}/faq?a=1#b`)
    await page.goto(`${site.url}${path}?next=%2F.%2F%2Fevil.example`, { waitUntil: 'commit' })
    await page.waitForURL(`${site.url}/workspace`)
    await page.context().close()
  })

  it('stays on the sign-in page once the session has ended elsewhere', async () => {
    const user = await site.newUser()
    const page = await site.visit({ language: 'en', user })
    await user.call('POST', '/auth/logout')
    await page.goto(`${site.url}/auth/login`)
    await page.waitForFunction(() => document.documentElement.dataset.session === 'out')
    expect(new URL(page.url()).pathname).toBe('/auth/login')
    expect((await page.context().cookies()).map(({ name }) => name)).toEqual(['kinora_device'])
    await page.context().close()
  })
})

describeOnSite('signing in', (site) => {
  it.each(languagesInTurn())('keeps the anchor of the requested page (%s)', async (language) => {
    const user = await site.newUser()
    await user.call('PUT', '/users/language', { language })
    const auth = await words(language, 'auth')
    const page = await site.visit({ language })
    await page.goto(`${site.url}${language === 'zh' ? '/zh' : ''}/subscription`)
    await page.getByLabel(auth.field.email, { exact: true }).fill(user.email)
    await page.getByLabel(auth.field.password, { exact: true }).fill('correct horse')
    await page.locator('main').getByRole('button', { name: auth.login.submit, exact: true }).click()
    await page.waitForURL(`${site.url}${language === 'zh' ? '/zh' : ''}/profile#subscription`)
    await page.context().close()
  })
})
