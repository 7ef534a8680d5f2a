import { expect, it } from 'vitest'
import { languagesInTurn } from './testing/languagesInTurn.ts'
import { describeOnSite } from './testing/onSite.ts'
import { words } from './testing/walkJourney.ts'

describeOnSite('the help and legal pages', (site) => {
  it.each(languagesInTurn())('search and filter the questions and count the results (%s)', async (language) => {
    const page = await site.visit({ language, width: 390 })
    const faq = await words(language, 'faq')
    const count = (number: number) =>
      faq[number === 1 && language === 'en' ? 'found_one' : 'found_other'].replace('{{count}}', number)
    await page.goto(`${site.url}${language === 'zh' ? '/zh' : ''}/faq`)
    const shown = page.locator('#faq-list > li:visible')
    const found = page.locator('#faq-found')
    expect([await shown.count(), await found.textContent()]).toEqual([11, count(11)])

    await page.getByRole('searchbox').fill('512P')
    expect([await shown.count(), await found.textContent()]).toEqual([2, count(2)])
    await page.getByRole('radio', { name: faq.category.technical }).check()
    expect([await shown.count(), await found.textContent()]).toEqual([1, count(1)])
    await page.getByRole('radio', { name: faq.category.commercial }).check()
    expect([await shown.count(), await page.getByText(faq.noneTitle).isVisible()]).toEqual([0, true])

    await page.getByRole('button', { name: faq.showAll }).click()
    await expect.poll(() => shown.count()).toBe(11)
    await expect.poll(() => page.getByText(faq.noneTitle).isVisible()).toBe(false)
    await expect
      .poll(() => page.getByRole('searchbox').evaluate((field) => field === document.activeElement))
      .toBe(true)

    await page.goto(`${site.url}${language === 'zh' ? '/zh' : ''}/faq#plans`)
    await expect.poll(() => page.locator('#plans .prose').isVisible()).toBe(true)
    await page.locator('#plans').getByRole('link').click()
    await page.waitForURL('**/faq/plans')
    await expect.poll(() => page.locator('.related-link').count()).toBe(3)
    await expect
      .poll(() => page.locator('.facts').textContent())
      .toMatch(
        language === 'zh'
          ? /2026年11月26日\s*\d{3} 字\s*阅读约 1 分钟/
          : /November 26, 2026\s*\d{3} words\s*1 min read/,
      )
    await page.context().close()
  })

  it.each(languagesInTurn())('copy and download the legal texts, and report a failed copy (%s)', async (language) => {
    const page = await site.visit({ language })
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write'], { origin: site.url })
    const legal = await words(language, 'legal')
    await page.goto(`${site.url}${language === 'zh' ? '/zh' : ''}/privacy`)
    await page.getByRole('button', { name: legal.copy }).click()
    await page.getByText(legal.copied, { exact: true }).waitFor()
    const file = await (await fetch(`${site.url}/legal/privacy-policy-${language}.md`)).text()
    expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(file)
    expect(file).toMatch(language === 'zh' ? /^# 隐私政策\n/ : /^# Privacy policy\n/)
    await page.route('**/legal/*', (route) => route.fulfill({ status: 503 }))
    for (const [path, document] of [
      ['/privacy', 'privacy'],
      ['/terms', 'terms'],
    ]) {
      await page.goto(`${site.url}${language === 'zh' ? '/zh' : ''}${path}`)
      await page.getByRole('button', { name: legal.copy }).click()
      await expect
        .poll(() => page.getByRole('alert').filter({ hasText: legal[document!].failed }).textContent())
        .toBe(legal[document!].failed)
    }
    await page.context().close()
  })
})
