import { expect, it } from 'vitest'
import { axeFaults } from './testing/axeFaults.ts'
import { describeOnSite } from './testing/onSite.ts'

describeOnSite('the API documentation page', (site) => {
  it('lists and searches every endpoint, tries them as the signed-in user, and violates no policy', async () => {
    const user = await site.newUser()
    const page = await site.visit({ language: 'en', user })
    const complaints: string[] = []
    page.on('console', (message) => message.type() === 'error' && complaints.push(message.text()))
    const answer = await page.goto(`${site.url}/docs`)
    expect(answer?.headers()['content-security-policy']).toContain("default-src 'none'")

    const description = (await (await fetch(`${site.url}/api/v1/openapi.json`)).json()) as { paths: object }
    const calls = Object.values(description.paths).flatMap((methods) => Object.keys(methods))
    await page.getByText(`${calls.length} of ${calls.length} calls`).waitFor()
    await page
      .locator('summary code', { hasText: /^second_factor_required$/ })
      .first()
      .waitFor()
    await expect.poll(() => page.locator('body').textContent()).not.toContain('`')
    await page.getByLabel('Find a call').fill('get tasks {id}')
    await page.getByText(new RegExp(`^[1-9] of ${calls.length} calls`)).waitFor()
    const one = page.locator('details:visible').first()
    await one.locator('summary').click()
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
    const copy = one.getByRole('button', { name: 'Copy', exact: true }).first()
    await copy.click()
    await one.getByRole('button', { name: 'Copied', exact: true }).waitFor()
    const shown = await one.locator('pre').first().textContent()
    expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(shown)
    await one.getByLabel('id: string').fill(crypto.randomUUID())
    await one.getByRole('button', { name: 'Send GET' }).click()
    await one.getByText('404 Not Found').waitFor()
    await expect.poll(() => one.locator('pre').last().textContent()).toContain('"code": "not_found"')

    await page.getByLabel('Find a call').fill('post generate')
    const generate = page.locator('details:visible')
    await generate.locator('summary').click()
    await expect.poll(() => generate.locator('pre').first().textContent()).toContain('"text_to_video"')
    const body = { task_type: 'text_to_video', model: 'I2V-01-live', prompt: '', duration: 6, resolution: '768P' }
    await generate.getByLabel('JSON to send').fill(JSON.stringify(body))
    await generate.getByRole('button', { name: 'Send POST' }).click()
    await generate.getByText('422 Unprocessable Entity').waitFor()

    // A call below /v1 takes an API key, and no session.
    const order = { name: 'Docs', scopes: ['videos:read'], password: 'correct horse' }
    const { key } = (await (await user.call('POST', '/keys', order)).json()) as { key: string }
    await page.getByLabel('Find a call').fill('get/v1/models')
    const models = page.locator('details:visible').first()
    await models.locator('summary').click()
    await models.getByRole('button', { name: 'Send GET' }).click()
    await models.getByText('401 Unauthorized').waitFor()
    await page.getByLabel('API key').fill(key)
    await models.getByRole('button', { name: 'Send GET' }).click()
    await models.getByText('200 OK').waitFor()

    expect(await axeFaults(page)).toEqual([])
    await page.setViewportSize({ width: 390, height: 860 })
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(390)
    if (process.env.KINORA_SHOTS) await page.screenshot({ path: `${process.env.KINORA_SHOTS}/docs-390.png` })
    await page.getByRole('button', { name: '中文', exact: true }).click()
    await page.getByLabel('查找接口').waitFor()
    expect(await axeFaults(page)).toEqual([])
    const home = page.getByRole('link', { name: '首页', exact: true })
    await expect.poll(() => home.getAttribute('href')).toBe('/zh')
    // Ignore error responses that the test provokes.
    expect(complaints.filter((text) => !/status of 4\d\d/.test(text))).toEqual([])
    await page.context().close()
  })
})
