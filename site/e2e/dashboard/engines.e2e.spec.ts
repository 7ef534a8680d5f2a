import { describe, expect, it } from 'vitest'
import {
  startVideosApiDouble,
  type VideosApiDouble,
} from '#backend/providers/video/videosApi/testing/videosApiDouble.ts'
import { axeFaults } from '../testing/axeFaults.ts'
import { languagesInTurn } from '../testing/languagesInTurn.ts'
import { describeInBrowser, OPERATOR, startAlone } from '../testing/onSite.ts'
import { words } from '../testing/walkJourney.ts'

let engine: VideosApiDouble

async function startWithEngine() {
  engine = await startVideosApiDouble({ apiKey: 'sk-wizard' })
  const site = await startAlone()
  const close = async () => {
    await site.close()
    await engine.close()
  }
  return { url: site.url, close }
}

// An engine that was connected keeps its prices, so each language has an installation of its own.
describe.each(languagesInTurn('en'))('the engine wizard (%s)', (language) => {
  describeInBrowser('of an installation', startWithEngine, (site) => {
    it('opens at the first sign-in, and not at later ones', async () => {
      const page = await site.visit({ language: 'en' })
      const { engines: wizard, login } = await words('en', 'dashboard')
      const signIn = async () => {
        await page.goto(`${site.url}/admin/dashboard/login`)
        await page.getByLabel(login.username, { exact: true }).fill(OPERATOR.username)
        await page.getByLabel(login.password, { exact: true }).fill(OPERATOR.password)
        await page.getByRole('button', { name: login.submit, exact: true }).click()
        await page.waitForURL(/\/admin\/dashboard(#|$)/)
      }
      await signIn()
      await page.getByRole('region', { name: wizard.heading, exact: true }).waitFor()
      await page.context().clearCookies()
      await signIn()
      await page.getByText(wizard.demo).waitFor()
      expect(new URL(page.url()).hash).toBe('')
      await page.context().close()
    })

    it('leads from the demo to an engine with a price', async () => {
      const page = await site.visit({ language, width: 1280 })
      const t = (await words(language, 'dashboard')).engines
      const headers = { origin: site.url }
      const answer = await page.request.post(`${site.url}/api/v1/analytics/login`, { data: OPERATOR, headers })
      expect(answer.status()).toBe(200)
      await page.goto(`${site.url}${language === 'zh' ? '/zh' : ''}/admin/dashboard`)
      await page.getByRole('link', { name: t.connect, exact: true }).click()
      const panel = page.getByRole('region', { name: t.heading, exact: true })
      await panel.getByText(t.none, { exact: true }).waitFor()
      expect(await axeFaults(page, 'main')).toEqual([])

      await panel.getByLabel(t.url, { exact: true }).fill(engine.url)
      await panel.getByRole('button', { name: t.find, exact: true }).click()
      const found = panel.getByRole('button', { name: t.connectTo.replace('{{url}}', engine.url) })
      await found.click()
      // Without the key the engine refuses, and nothing is stored.
      await panel.getByRole('alert').getByText(/./).first().waitFor()
      await panel.getByLabel(t.key, { exact: true }).fill('sk-wizard')
      await found.click()
      await panel.getByRole('button', { name: t.removeOf.replace('{{name}}', 'videos-api') }).waitFor()
      await expect.poll(() => page.getByText(t.demo).count()).toBe(0)

      await panel.getByRole('button', { name: t.test, exact: true }).click()
      await panel.locator('video').waitFor()
      await panel.getByText(t.unpriced).click()
      await panel.getByLabel(t.credits).first().fill('40')
      await panel.getByLabel(t.cents).first().fill('10')
      await panel.getByRole('button', { name: t.savePrices, exact: true }).click()
      await expect.poll(() => panel.getByText(t.unpriced).count()).toBe(0)
      expect(await axeFaults(page, 'main')).toEqual([])
      const models = await page.request.get(`${site.url}/api/v1/videos/models`)
      expect(await models.json()).toMatchObject([{ name: engine.model }])
      await panel.getByRole('button', { name: t.removeOf.replace('{{name}}', 'videos-api') }).click()
      await panel.getByText(t.none, { exact: true }).waitFor()
      await page.context().close()
    })
  })
})
