import { expect, it } from 'vitest'
import { parseModel } from '#backend/tasks/catalogue/catalogue.ts'
import { modelView } from '#backend/tasks/catalogue/modelView.ts'
import { shippedModels } from '#backend/tasks/testing/shippedModels.ts'
import { sampled } from '#backend/testing/sampled.ts'
import { axeFaults } from '../testing/axeFaults.ts'
import { languagesInTurn } from '../testing/languagesInTurn.ts'
import { describeOnSite } from '../testing/onSite.ts'
import { words } from '../testing/walkJourney.ts'
import { openDouble, picture } from '../testing/workspaceDouble.ts'

/** A file of `DATA_DIR/models` whose model offers all that a catalogue can describe. */
const EVERYTHING = parseModel({
  id: 'everything',
  names: { en: 'Everything', zh: '全能' },
  descriptions: { en: 'All options', zh: '全部选项' },
  shapes: [{ taskTypes: ['text_to_video', 'image_to_video'], resolutions: ['768P'], seconds: [6], credits: 70 }],
  aspectRatios: ['16:9', '9:16', '1:1'],
  inputs: { firstFrame: true, lastFrame: true, references: 2 },
  ...{ cameraMovements: true, sound: true, seed: true, negativePrompt: true },
  routes: [{ provider: 'demo', model: 'everything' }],
})
const CATALOGUE = [...shippedModels('demo'), EVERYTHING].map((model) => modelView(model, false))

describeOnSite('a catalogue that offers everything', (site) => {
  it.each(languagesInTurn())('shows each option, explains what is excluded, and sends it, in %s', async (language) => {
    const [{ form, references, ratio }, errors] = await Promise.all([
      words(language, 'workspace'),
      words(language, 'errors'),
    ])
    const page = await site.visit({ language })
    const state = await openDouble(page, site.url, language)
    state.rare.set('GET /videos/models', (route) => route.fulfill({ json: CATALOGUE }))
    await page.goto(`${site.url}${language === 'zh' ? '/zh' : ''}/workspace`)
    await page.getByRole('tab', { name: form.image }).click()

    // The first model takes none of it. The rare options are folded until one is used.
    await page.getByText(form.more, { exact: true }).click()
    const seed = page.getByRole('textbox', { name: form.seed, exact: true })
    await seed.waitFor()
    await expect.poll(() => seed.isDisabled()).toBe(true)
    for (const code of ['seed', 'sound', 'negative_prompt', 'references', 'last_frame'])
      await page.getByText(errors[`${code}_not_for_model`]).first().waitFor()
    expect(await axeFaults(page, '.generation')).toEqual([])

    await page.getByRole('radio', { name: EVERYTHING.names[language], exact: true }).check()
    const choose = async (id: string, ...files: Buffer[]) =>
      page.locator(`#${id}`).setInputFiles(files.map((buffer) => ({ name: 'a.jpg', mimeType: 'image/jpeg', buffer })))
    await choose('first-frame', picture(640, 360))
    await choose('last-frame', picture(640, 360))
    await choose('references', picture(400, 400), picture(400, 400))
    await page.getByRole('img', { name: references.image.replace('{{number}}', '2') }).waitFor()
    await expect.poll(() => page.locator('#references').count()).toBe(0)
    await page.getByRole('radio', { name: '9:16', exact: true }).check()
    await page.getByRole('switch', { name: form.sound }).uncheck()
    await page.getByRole('textbox', { name: form.negativePrompt }).fill('rain')
    await seed.fill('4.2')
    const generate = page.getByRole('button', { name: new RegExp(`^${form.generate}`) })
    await expect.poll(() => generate.textContent()).toContain('70')
    await expect.poll(() => generate.isDisabled()).toBe(false)
    // A fault in a folded field unfolds it.
    await page.getByText(form.more, { exact: true }).click()
    await seed.waitFor({ state: 'hidden' })
    await generate.click()
    await page.getByText(errors.invalid_seed).waitFor()
    await expect.poll(() => seed.evaluate((field) => field === document.activeElement)).toBe(true)
    await seed.fill('42')
    expect(await axeFaults(page, '.generation')).toEqual([])
    await generate.click()
    await expect.poll(() => state.orders.length).toBe(1)
    expect(state.orders[0]).toMatchObject({
      ...{ model: 'everything', aspect_ratio: '9:16', seed: 42, sound: false, negative_prompt: 'rain' },
      ...{ last_frame_image_url: '/api/v1/videos/images/1', first_frame_image_url: '/api/v1/videos/images/1' },
      reference_image_urls: ['/api/v1/videos/images/1', '/api/v1/videos/images/1'],
    })

    // A reload restores the form; a model without the options sends none of them.
    await page.reload()
    await expect.poll(() => seed.inputValue()).toBe('42')
    await page.getByRole('radio', { name: 'MiniMax-Hailuo-02', exact: true }).check()
    await expect.poll(() => generate.isDisabled()).toBe(false)
    await expect.poll(() => generate.textContent()).toContain(ratio.price.replace('{{ratio}}', '9:16'))
    await page.getByText(ratio.cut.replace('{{ratio}}', '9:16').replace('{{kept}}', '32')).waitFor()
    await generate.click()
    await expect.poll(() => state.orders.length).toBe(2)
    // The chosen ratio stays: the video is cut to it, which the form showed with the price.
    expect(state.orders[1]).toMatchObject({ aspect_ratio: '9:16' })
    for (const field of ['seed', 'sound', 'negative_prompt', 'last_frame_image_url', 'reference_image_urls'])
      expect(state.orders[1]).not.toHaveProperty(field)
    await page.context().close()
  })

  it.each(sampled([320, 390, 768, 1280, 1920], 2))('fits into %i px', async (width) => {
    const page = await site.visit({ language: 'en', width })
    const state = await openDouble(page, site.url, 'en')
    state.rare.set('GET /videos/models', (route) => route.fulfill({ json: CATALOGUE }))
    await page.goto(`${site.url}/workspace`)
    const { form } = await words('en', 'workspace')
    await page.getByRole('tab', { name: form.image }).click()
    await page.getByRole('radio', { name: EVERYTHING.names.en, exact: true }).check()
    await page.locator('#last-frame').waitFor()
    expect(await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)).toBeLessThanOrEqual(0)
    // What a fixed bar does not show cannot be scrolled to.
    const cost = (await page.locator('.generate-cost').boundingBox())!
    expect(cost.x + cost.width).toBeLessThanOrEqual(width)
    expect(await page.locator('.takes').evaluate(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth)).toBe(0)
    await page.context().close()
  })
})
