import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { axeFaults } from '../testing/axeFaults.ts'
import { languagesInTurn } from '../testing/languagesInTurn.ts'
import { atRest } from '../testing/onBoard.ts'
import { describeOnSite, OPERATOR } from '../testing/onSite.ts'
import { words } from '../testing/walkJourney.ts'

describeOnSite('a code for credits', (site) => {
  it.each(languagesInTurn())('is issued on the board, redeemed in the account, and voided (%s)', async (language) => {
    const [t, subscription] = [(await words(language, 'dashboard')).codes, await words(language, 'subscription')]
    const [errors, credits] = [await words(language, 'errors'), await words(language, 'credits')]
    const prefix = `${site.url}${language === 'zh' ? '/zh' : ''}`
    const width = language === 'zh' ? 390 : 1280
    const operator = await site.visit({ language, width })
    const signedIn = { data: OPERATOR, headers: { origin: site.url } }
    await operator.request.post(`${site.url}/api/v1/analytics/login`, signedIn)
    await operator.goto(`${prefix}/admin/dashboard`)
    const panel = operator.getByRole('region', { name: t.heading, exact: true })
    await atRest(operator)
    await panel.getByRole('button', { name: t.issue, exact: true }).click()
    const dialog = operator.getByRole('dialog')
    const issue = dialog.getByRole('button', { name: t.issue, exact: true })
    await issue.click()
    await dialog.getByText(errors.required).waitFor()
    await dialog.getByLabel(t.form.label, { exact: true }).fill(`Fair ${language}`)
    await dialog.getByLabel(t.form.credits, { exact: true }).fill('50')
    await dialog.getByLabel(t.form.count, { exact: true }).fill('2')
    await dialog.getByLabel(t.form.expires_in_days, { exact: true }).fill('30')
    expect(await axeFaults(operator)).toEqual([])
    await issue.click()
    const [code = '', other = ''] = (await dialog.getByLabel(t.list, { exact: true }).inputValue()).split('\n')
    expect(await axeFaults(operator)).toEqual([])
    const download = operator.waitForEvent('download')
    await dialog.getByRole('link').click()
    expect(readFileSync(await (await download).path(), 'utf8')).toBe(`code\r\n${code}\r\n${other}\r\n`)
    await dialog.getByRole('button', { name: t.saved }).click()
    await panel.getByText(`…${code.slice(-4)}`).waitFor()

    const user = await site.newUser()
    await user.call('PUT', '/users/language', { language })
    const page = await site.visit({ language, user, width })
    await page.goto(`${prefix}/profile#subscription`)
    const field = page.getByLabel(subscription.redeem.code, { exact: true })
    const redeem = async (text: string) => {
      await field.fill(text)
      await page.getByRole('button', { name: subscription.redeem.submit, exact: true }).click()
    }
    await redeem('K7QM-2R4T-9XWB-0HJC-V3ZD')
    await page.getByText(errors.unknown_code).waitFor()
    expect(await axeFaults(page)).toEqual([])
    await redeem(code.toLowerCase())
    await page.getByText(subscription.redeem.done_other.replace('{{count}}', '50')).waitFor()
    await expect.poll(() => page.locator('[data-user=credits]').textContent()).toBe('110')
    expect([await field.inputValue(), await page.getByText(errors.unknown_code).count()]).toEqual(['', 0])
    await page.goto(`${prefix}/profile/credits`)
    await page.locator('#credits tbody').getByText(credits.reason.code).first().waitFor()

    await operator.reload()
    await panel.getByText(t.usedOf.replace('{{used}}', '1').replace('{{uses}}', '1')).first().waitFor()
    const name = `Fair ${language} …${other.slice(-4)}`
    await panel.getByRole('button', { name: t.voidOf.replace('{{name}}', name) }).click()
    await dialog.getByRole('switch').check()
    expect(await axeFaults(operator)).toEqual([])
    await dialog.getByRole('button', { name: t.confirm, exact: true }).click()
    await panel.getByRole('status').getByText(t.voided_other.replace('{{count}}', '2')).waitFor()
    await panel.getByText(t.isVoid, { exact: true }).nth(1).waitFor()
    await page.goto(`${prefix}/profile`)
    await redeem(other)
    await page.getByText(errors.unknown_code).waitFor()
    await Promise.all([page.context().close(), operator.context().close()])
  })
})
