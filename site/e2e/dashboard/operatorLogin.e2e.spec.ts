import type { Route } from 'playwright'
import { expect, it } from 'vitest'
import { axeFaults } from '../testing/axeFaults.ts'
import { languagesInTurn } from '../testing/languagesInTurn.ts'
import { describeOnSite } from '../testing/onSite.ts'
import { words } from '../testing/walkJourney.ts'

describeOnSite('the operator’s login', (site) => {
  it.each(languagesInTurn('zh'))('explains failed sign-ins, then signs in (%s)', async (language) => {
    const prefix = language === 'zh' ? '/zh' : ''
    const t = (await words(language, 'dashboard')).login
    const page = await site.visit({ language })
    await page.addInitScript((chosen) => localStorage.setItem('language', chosen), language)
    const visits: string[] = []
    page.on('request', (request) => request.url().includes('page-view') && visits.push(request.url()))
    await page.goto(`${site.url}${prefix}/admin/dashboard/login`)
    await page.getByRole('heading', { level: 1, name: t.heading }).waitFor()
    const [username, password] = [t.username, t.password].map((label) => page.getByLabel(label, { exact: true }))
    const submit = () => page.getByRole('button', { name: t.submit, exact: true }).click()
    const alert = page.locator('.form-problem')
    const says = async (text: string) => {
      await alert.getByText(text, { exact: true }).waitFor()
    }

    await submit()
    await says(t.incomplete)
    await expect.poll(() => username!.evaluate((field) => field === document.activeElement)).toBe(true)
    expect(await axeFaults(page)).toEqual([])
    await username!.fill('operator')
    await expect.poll(() => alert.textContent()).toBe('')
    await submit()
    await says(t.incomplete)
    await expect.poll(() => password!.getAttribute('aria-invalid')).toBe('true')
    await password!.fill('not mine')
    await expect.poll(() => alert.textContent()).toBe('')

    const answers: [(route: Route) => Promise<void>, ...string[]][] = [
      [(route) => route.fulfill({ status: 401, json: { code: 'invalid_credentials' } }), t.failed, t.refused],
      [(route) => route.fulfill({ status: 500, json: {} }), t.failed],
      [(route) => route.fulfill({ json: { success: false, message: '' } }), t.failed],
      [(route) => route.abort(), t.network],
      [
        (route) =>
          route.fulfill({ status: 429, headers: { 'retry-after': '90' }, json: { code: 'too_many_requests' } }),
        t.failed,
        t.waitMinutes_other.replace('{{count}}', '2'),
      ],
    ]
    for (const [answer, ...texts] of answers) {
      await page.route('**/api/v1/analytics/login', answer, { times: 1 })
      await submit()
      for (const text of texts) await says(text)
      await password!.fill('not mine either')
      await expect.poll(() => alert.textContent()).toBe('')
    }

    const home = page.getByRole('link', { name: t.home, exact: true })
    await expect.poll(() => home.getAttribute('href')).toBe(prefix || '/')
    let sent: unknown
    await page.route('**/api/v1/analytics/login', (route) => {
      sent = route.request().postDataJSON()
      return route.fulfill({ json: { success: true, message: 'Signed in.' } })
    })
    await page.route('**/admin/dashboard', (route) => route.fulfill({ contentType: 'text/html', body: 'the board' }))
    await password!.fill('correct horse')
    await submit()
    await page.waitForURL(`${site.url}${prefix}/admin/dashboard`)
    expect(sent).toEqual({ username: 'operator', password: 'correct horse' })
    expect(visits).toEqual([])
    await page.context().close()
  })
})
