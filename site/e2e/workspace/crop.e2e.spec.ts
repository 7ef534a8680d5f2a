import { createCanvas, loadImage } from '@napi-rs/canvas'
import { expect, it } from 'vitest'
import { sampled } from '#backend/testing/sampled.ts'
import { axeFaults } from '../testing/axeFaults.ts'
import { describeOnSite } from '../testing/onSite.ts'
import { words } from '../testing/walkJourney.ts'
import { openDouble } from '../testing/workspaceDouble.ts'

/** Two halves, red on the left and blue on the right. */
function halves(width: number, height: number) {
  const canvas = createCanvas(width, height)
  const draw = canvas.getContext('2d')
  draw.fillStyle = '#f00'
  draw.fillRect(0, 0, width, height)
  draw.fillStyle = '#00f'
  draw.fillRect(width / 2, 0, width / 2, height)
  return canvas
}

interface Sent {
  readonly file: Buffer
  /** Edges in pixels of the image. */
  readonly crop: readonly number[] | undefined
}

/** The fields of a multipart body, of which the file is the last. */
async function sentOf(body: Buffer): Promise<Sent> {
  const start = body.indexOf('\r\n\r\n', body.indexOf('name="file"')) + 4
  const file = body.subarray(start, body.lastIndexOf('\r\n--'))
  const { width, height } = await loadImage(file)
  const edges = /name="crop"\s+([\d.,]+)/.exec(body.toString('latin1'))?.[1]
  const crop = edges?.split(',').map((edge, i) => Math.round(Number(edge) * (i % 2 ? height : width)))
  return { file, crop }
}

describeOnSite('an image of the form', (site) => {
  it.each(
    sampled([
      ['en', 1280],
      ['zh', 320],
    ] as const),
  )('can be cropped with the keyboard, by the server, in %s at %i px', async (language, width) => {
    const { form, image, crop } = await words(language, 'workspace')
    const errors = await words(language, 'errors')
    const { action } = await words(language, 'common')
    const page = await site.visit({ language, width })
    const state = await openDouble(page, site.url, language)
    const sent: Sent[] = []
    state.rare.set('POST /videos/upload-image', async (route) => {
      sent.push(await sentOf(route.request().postDataBuffer()!))
      return route.fulfill({ json: { image_url: `/api/v1/videos/images/${sent.length}` } })
    })
    await page.goto(`${site.url}${language === 'zh' ? '/zh' : ''}/workspace`)
    await page.getByRole('tab', { name: form.image }).click()
    const choose = (name: string, mimeType: string, buffer: Buffer) =>
      page.locator('#first-frame').setInputFiles({ name, mimeType, buffer })

    await choose('a.heic', '', Buffer.from('no browser of the tests reads this'))
    await page.locator('#first-frame-fault').getByText(errors.invalid_file_type).waitFor()
    await expect.poll(() => page.getByRole('button', { name: crop.open }).count()).toBe(0)
    await choose('a.webp', 'image/webp', halves(1600, 900).toBuffer('image/webp'))
    await page.getByText(image.ready).waitFor()
    expect([sent[0]!.file.toString('hex', 0, 3), sent[0]!.crop]).toEqual(['ffd8ff', undefined])
    expect(await loadImage(sent[0]!.file)).toMatchObject({ width: 1600, height: 900 })

    // Too wide to be sent, but a part of it is not.
    const wide = halves(1600, 600).toBuffer('image/png')
    await choose('b.png', 'image/png', wide)
    await page.locator('#first-frame-fault').getByText(errors.image_aspect_ratio).waitFor()
    expect(sent).toHaveLength(1)
    await page.getByRole('button', { name: crop.open }).click()
    const dialog = page.getByRole('dialog', { name: crop.heading })
    const across = dialog.getByRole('slider', { name: crop.across })
    await expect.poll(() => across.isEnabled()).toBe(true)
    expect(await axeFaults(page, 'dialog[open]')).toEqual([])
    expect(await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)).toBeLessThanOrEqual(0)
    await across.press('Home')
    await dialog.getByRole('slider', { name: crop.zoom }).press('End')
    await dialog.getByRole('button', { name: action.apply }).click()
    await page.getByText(image.ready).waitFor()
    await expect.poll(() => page.evaluate(() => document.activeElement?.id)).toBe('first-frame')
    expect([sent[1]!.file.equals(wide), sent[1]!.crop]).toEqual([true, [0, 149, 536, 451]])
    await expect.poll(() => page.locator('.drop img').getAttribute('src')).toBe('/api/v1/videos/images/2')

    // The next crop starts from the whole image again, and a drag moves it.
    await page.getByRole('button', { name: crop.open }).click()
    await expect.poll(() => across.isEnabled()).toBe(true)
    const view = (await dialog.getByRole('img', { name: crop.view }).boundingBox())!
    await page.mouse.move(view.x + view.width / 2, view.y + view.height / 2)
    await page.mouse.down()
    await page.mouse.move(view.x - 500, view.y + view.height / 2, { steps: 4 })
    await page.mouse.up()
    await expect.poll(() => across.inputValue()).toBe('1')
    await page.keyboard.press('Escape')
    expect(sent).toHaveLength(2)
    await page.context().close()
  })

  it('that cannot be read again is explained, and can be retried', async () => {
    const [{ form, image, crop }, { action }] = [await words('en', 'workspace'), await words('en', 'common')]
    const page = await site.visit({ language: 'en' })
    await openDouble(page, site.url, 'en')
    await page.goto(`${site.url}/workspace`)
    await page.getByRole('tab', { name: form.image }).click()
    const buffer = halves(1600, 900).toBuffer('image/png')
    await page.locator('#first-frame').setInputFiles({ name: 'a.png', mimeType: 'image/png', buffer })
    await page.getByText(image.ready).waitFor()
    await page.evaluate(() => {
      const { decode } = HTMLImageElement.prototype
      HTMLImageElement.prototype.decode = () => {
        HTMLImageElement.prototype.decode = decode
        return Promise.reject(new DOMException('', 'EncodingError'))
      }
    })
    await page.getByRole('button', { name: crop.open }).click()
    const dialog = page.getByRole('dialog', { name: crop.heading })
    await dialog
      .getByRole('alert')
      .getByText((await words('en', 'errors')).image_unreadable)
      .waitFor()
    expect(await axeFaults(page, 'dialog[open]')).toEqual([])
    await dialog.getByRole('button', { name: action.retry }).click()
    await expect.poll(() => dialog.getByRole('button', { name: action.apply }).isEnabled()).toBe(true)
    await page.context().close()
  })
})
