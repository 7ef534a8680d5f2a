import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import type { Page, Request } from 'playwright'
import { afterAll, expect, it } from 'vitest'
import { describeOnBoard } from '../testing/onBoard.ts'
import { words } from '../testing/walkJourney.ts'

const dataDir = mkdtempSync(path.join(os.tmpdir(), 'kinora-new-model-'))
mkdirSync(path.join(dataDir, 'models'))
afterAll(() => rmSync(dataDir, { recursive: true, force: true, maxRetries: 10 }))

const MODEL = {
  id: 'studio-1',
  order: 1,
  names: { en: 'Studio One', zh: '影棚一号' },
  descriptions: { en: 'A model of this installation.', zh: '本站自己的模型。' },
  shapes: [
    {
      taskTypes: ['text_to_video', 'image_to_video'],
      resolutions: ['768P'],
      seconds: { from: 4, to: 7 },
      creditsPerSecond: 2,
    },
  ],
  aspectRatios: ['16:9', '9:16', '21:9'],
  inputs: { firstFrame: true, lastFrame: true, references: 0 },
  sound: true,
  seed: true,
  routes: [{ provider: 'demo', model: 'demo' }],
}
const drop = (model: object) => writeFile(path.join(dataDir, 'models/studio-1.json'), JSON.stringify(model))

describeOnBoard(
  'a model file that is dropped into a running installation',
  ({ site, visit }) => {
    /** Opens the form until it offers the model. */
    const openForm = async (page: Page) => {
      await expect
        .poll(async () => {
          await page.goto(`${site.url}/workspace`)
          const { form } = await words('en', 'workspace')
          await page.getByRole('button', { name: new RegExp(form.generate) }).waitFor()
          return page.getByRole('radio', { name: /Studio One/ }).count()
        })
        .toBe(1)
      await page.getByRole('radio', { name: /Studio One/ }).check()
    }

    it('brings its ratio, seconds, last frame, sound and seed into the form', async () => {
      const page = await site.visit({ language: 'en', user: await site.newUser() })
      await drop(MODEL)
      await openForm(page)
      const { form, image } = await words('en', 'workspace')
      const group = (name: string) => page.getByRole('group', { name, exact: true }).getByRole('radio')
      await expect.poll(() => group(form.duration).count()).toBe(4)
      await expect.poll(() => group(form.ratio).count()).toBe(3)
      await page.getByRole('tab', { name: form.image }).click()
      await page.getByText(image.lastLabel, { exact: true }).first().waitFor()
      await page.getByRole('tab', { name: form.text }).click()
      await page.getByRole('radio', { name: /^7 s/ }).check()
      await page.getByRole('radio', { name: /^9:16/ }).check()
      await page.getByRole('switch', { name: form.sound }).uncheck()
      await page.getByText(form.more, { exact: true }).click()
      await page.getByRole('textbox', { name: form.seed }).fill('42')
      await page.getByRole('textbox', { name: form.prompt }).fill('A red fox in the snow')
      await page.getByRole('button', { name: form.moreTakes }).click()
      const orders: Request[] = []
      page.on('request', (request) => request.url().endsWith('/videos/generate') && orders.push(request))
      await page.getByRole('button', { name: new RegExp(`${form.generate}.*28`) }).click()
      await expect.poll(() => orders.length).toBe(2)
      for (const order of orders) expect((await order.response())!.status()).toBe(202)
      const [first, second] = orders.map((order) => order.postDataJSON())
      expect(first).toMatchObject({
        ...{ model: 'studio-1', duration: 7, aspect_ratio: '9:16', sound: false, seed: 42 },
      })
      // The same seed would make the same video.
      expect(second).toEqual({ ...first, seed: undefined })
      await page.context().close()
    })

    it('stays offered when it becomes faulty, and the board names the file and the fault', async () => {
      await drop({ ...MODEL, shapes: [] })
      const board = await visit('en')
      await expect
        .poll(async () => {
          await board.goto(`${site.url}/admin/dashboard`)
          return board.getByText('models/studio-1.json').count()
        })
        .toBeGreaterThan(0)
      await board
        .getByText(/shapes/)
        .first()
        .waitFor()
      await board.context().close()
      const page = await site.visit({ language: 'en', user: await site.newUser() })
      await openForm(page)
      await page.context().close()
    })
  },
  { DATA_DIR: dataDir },
)
