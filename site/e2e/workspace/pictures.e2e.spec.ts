import type { Page } from 'playwright'
import sharp from 'sharp'
import { expect, it } from 'vitest'
import { FOREIGN_PICTURES, quartersOf } from '#backend/kernel/media/testing/foreignPictures.ts'
import { languagesInTurn } from '../testing/languagesInTurn.ts'
import { describeOnSite } from '../testing/onSite.ts'
import { words } from '../testing/walkJourney.ts'
import { openDouble } from '../testing/workspaceDouble.ts'

/** The file of a multipart body with one part. */
const fileOf = (body: Buffer) => body.subarray(body.indexOf('\r\n\r\n') + 4, body.lastIndexOf('\r\n--'))
const blank = (width: number, height: number) =>
  sharp({ create: { width, height, channels: 3, background: '#808080' } })

/** Drops a file on an element. Returns whether the page keeps the browser from opening it. */
const isKept = (page: Page, selector: string) =>
  page.locator(selector).evaluate((element) => {
    const dataTransfer = new DataTransfer()
    dataTransfer.items.add(new File(['text'], 'notes.txt', { type: 'text/plain' }))
    const init = { bubbles: true, cancelable: true, dataTransfer }
    return ['dragover', 'drop'].every((name) => !element.dispatchEvent(new DragEvent(name, init)))
  })

describeOnSite('a picture', (site) => {
  it('of another program is sent with the colours that are shown, whatever its name and type', async () => {
    const { form, image } = await words('en', 'workspace')
    const page = await site.visit({ language: 'en' })
    const state = await openDouble(page, site.url, 'en')
    let sent: Buffer = Buffer.alloc(0)
    state.rare.set('POST /videos/upload-image', (route) => {
      sent = fileOf(route.request().postDataBuffer()!)
      return route.fulfill({ json: { image_url: '/api/v1/videos/images/1' } })
    })
    await page.goto(`${site.url}/workspace`)
    await page.getByRole('tab', { name: form.image }).click()
    // The server judges what a browser cannot.
    for (const { name, type, make, refused } of FOREIGN_PICTURES.filter((each) => each.refused !== 'image_damaged')) {
      const buffer = await make()
      sent = Buffer.alloc(0)
      await page.locator('#first-frame').setInputFiles({ name: 'picture.jpg', mimeType: type, buffer })
      await expect.poll(() => sent.length, { message: name }).toBeGreaterThan(0)
      if (refused !== 'invalid_file_type') expect([name, sent.equals(buffer)]).toEqual([name, true])
      else expect([name, (await quartersOf(sent))[0]![0] > 240]).toEqual([name, true])
    }
    await page.locator('#first-frame').setInputFiles({
      name: 'logo.jpg',
      mimeType: 'image/jpeg',
      buffer: await sharp({ create: { width: 640, height: 400, channels: 4, background: '#0000' } })
        .webp({ lossless: true })
        .toBuffer(),
    })
    await expect.poll(async () => (sent.length ? await quartersOf(sent) : [])).toEqual(Array(4).fill([255, 255, 255]))
    await page.getByText(image.ready).waitFor()
    await expect.poll(() => page.locator('.drop img').getAttribute('src')).toBe('/api/v1/videos/images/1')
    expect(await isKept(page, 'h1')).toBe(true)
    await page.context().close()
  })

  it('is kept if it gets the name back that it has lost', async () => {
    const { form, pictures } = await words('en', 'workspace')
    const page = await site.visit({ language: 'en' })
    const state = await openDouble(page, site.url, 'en')
    const names: unknown[] = []
    const kept = { id: '1', image_url: '/icon-512.png', name: 'Fox', created_at: '2026-01-01T00:00:00.000Z' }
    state.rare.set('GET /videos/images', (route) => route.fulfill({ json: { pictures: [kept] } }))
    state.rare.set('PUT /videos/images/1', (route) => {
      names.push(route.request().postDataJSON().name)
      return route.fulfill({ status: 204 })
    })
    await page.goto(`${site.url}/workspace`)
    await page.getByRole('tab', { name: form.image }).click()
    await page.getByRole('button', { name: pictures.heading }).click()
    const field = page.getByRole('textbox', { name: pictures.name, exact: true })
    for (const name of ['', 'Fox']) {
      await field.fill(name)
      await field.press('Tab')
    }
    await expect.poll(() => names).toEqual([null, 'Fox'])
    await page.context().close()
  })

  it.each(languagesInTurn())(
    'is judged when it is chosen on the landing page, and can be removed, in %s',
    async (language) => {
      const { start } = await words(language, 'landing')
      const errors = await words(language, 'errors')
      const page = await site.visit({ language })
      await page.goto(`${site.url}${language === 'zh' ? '/zh' : ''}/`)
      const box = page.locator('#start')
      const choose = (name: string, buffer: Buffer) =>
        box.locator('input[type=file]').setInputFiles({ name, mimeType: 'image/jpeg', buffer })
      const remove = box.getByRole('button', { name: start.removeImage })
      const submit = box.getByRole('button', { name: start.generate, exact: true })
      await box.getByRole('textbox').fill('A cat')

      await choose('wide.jpg', await blank(1600, 600).jpeg().toBuffer())
      await box.getByRole('alert').getByText(errors.image_aspect_ratio).waitFor()
      await submit.click()
      await expect.poll(() => remove.evaluate((button) => button === document.activeElement)).toBe(true)
      await page.keyboard.press('Enter')
      await expect.poll(() => remove.count()).toBe(0)
      await choose('notes.jpg', Buffer.from('no picture'))
      await box.getByRole('alert').getByText(errors.invalid_file_type).waitFor()

      const uploads: Buffer[] = []
      await page.route('**/auth/start/image', (route) => {
        uploads.push(fileOf(route.request().postDataBuffer()!))
        return route.fulfill({
          status: 422,
          json: { code: 'validation', errors: [{ path: 'file', code: 'image_damaged' }] },
        })
      })
      await choose('webp.jpg', await blank(640, 400).webp().toBuffer())
      await box.getByText('webp.jpg').waitFor()
      await submit.click()
      const card = page.getByRole('dialog', { name: start.heading })
      await card.getByLabel(start.email, { exact: true }).fill(`${language}.${Date.now()}@kinora.test`)
      await card.getByRole('button', { name: start.continue }).click()
      await card.getByRole('alert').getByText(errors.image_damaged).waitFor()
      expect((await sharp(uploads[0]).metadata()).format).toBe('jpeg')
      await card.getByRole('button', { name: start.removeImage }).click()
      await card.getByRole('button', { name: start.continue }).click()
      await page.getByRole('dialog', { name: start.sentHeading }).waitFor()
      expect(await isKept(page, 'footer')).toBe(true)
      await page.context().close()
    },
  )
})
