import { describe, expect, it } from 'vitest'
import { type ComfyuiDouble, startComfyuiDouble } from '#backend/providers/video/comfyui/testing/comfyuiDouble.ts'
import { WORKFLOW } from '#backend/providers/video/comfyui/testing/exampleWorkflow.ts'
import { sampled } from '#backend/testing/sampled.ts'
import { axeFaults } from '../testing/axeFaults.ts'
import { languagesInTurn } from '../testing/languagesInTurn.ts'
import { describeInBrowser, OPERATOR, startAlone } from '../testing/onSite.ts'
import { words } from '../testing/walkJourney.ts'

let double: ComfyuiDouble

async function startWithComfyui() {
  double = await startComfyuiDouble()
  const site = await startAlone({ COMFYUI_URL: double.url })
  const close = async () => {
    await site.close()
    await double.close()
  }
  return { url: site.url, close }
}
const file = (workflow: object) => ({
  name: 'workflow.json',
  mimeType: 'application/json',
  buffer: Buffer.from(JSON.stringify(workflow)),
})

// A graph that was set up stays, so each language has an installation of its own.
describe.each(languagesInTurn('zh'))('the set-up of a ComfyUI graph (%s)', (language) => {
  describeInBrowser('in an installation', startWithComfyui, (site) => {
    it('reads a workflow, renders a test, and makes it a model', async () => {
      const page = await site.visit({ language, width: 1280 })
      const t = (await words(language, 'dashboard')).graphs
      const answer = await page.request.post(`${site.url}/api/v1/analytics/login`, {
        data: OPERATOR,
        headers: { origin: site.url },
      })
      expect(answer.status()).toBe(200)
      await page.goto(`${site.url}${language === 'zh' ? '/zh' : ''}/admin/dashboard`)
      const panel = page.getByRole('region', { name: t.heading, exact: true })
      await panel.getByText(t.none, { exact: true }).waitFor()

      await panel.getByLabel(t.choose).setInputFiles(file({ nodes: [{ id: 3, type: 'KSampler', mode: 4 }] }))
      await panel
        .getByRole('alert')
        .getByText(/bypassed/)
        .waitFor()
      await panel.getByLabel(t.choose).setInputFiles(file(WORKFLOW))
      await expect
        .poll(() => panel.getByRole('heading', { name: t.proposal }).evaluate((h) => h === document.activeElement))
        .toBe(true)
      for (const [label, value] of [
        [t.binding.prompt, '6.text'],
        [t.binding.negativePrompt, '7.text'],
        [t.fps, '16'],
      ])
        await expect.poll(() => panel.getByLabel(label, { exact: true }).inputValue()).toBe(value)

      // With the keyboard alone from here.
      const test = panel.getByRole('button', { name: t.test })
      double.renderMs = 600_000
      await test.press('Enter')
      await panel.getByText(t.testState.rendering).waitFor()
      double.started.at(-1)!.finishAt = 0
      const picture = panel.getByRole('img', { name: t.testPicture })
      await picture.waitFor()
      await expect.poll(() => picture.evaluate((image: HTMLImageElement) => image.naturalWidth)).toBe(640)
      expect(double.jobs.size).toBe(0)
      expect(await axeFaults(page, '.board-graphs')).toEqual([])

      for (const width of sampled([1280, 390])) {
        await page.setViewportSize({ width, height: 1000 })
        expect(await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)).toBe(0)
      }

      const save = panel.getByRole('button', { name: t.save })
      await save.press('Enter')
      await expect.poll(() => panel.getByLabel(t.id, { exact: true }).getAttribute('aria-invalid')).toBe('true')
      await panel.getByLabel(t.en).fill('Wan 5B')
      await panel.getByLabel(t.zh).fill('万相 5B')
      await panel.getByLabel(t.id, { exact: true }).fill('wan-5b')
      await save.press('Enter')
      const models = async () => {
        const offered = (await (await fetch(`${site.url}/api/v1/videos/models`)).json()) as { name: string }[]
        return offered.map(({ name }) => name)
      }
      await expect.poll(models).toEqual(['wan-5b'])
      await page.context().close()
    })
  })
})
