import { readFile } from 'node:fs/promises'
import path from 'node:path'
import { createCanvas } from '@napi-rs/canvas'
import type { Browser, Page } from 'playwright'
import { expect } from 'vitest'
import type { MailReader } from '#backend/testing/testUser.ts'
import { mailedLink } from './mailedLink.ts'

export interface Walk {
  readonly language: 'en' | 'zh'
  /** Viewport width in CSS pixels. */
  readonly width: number
  /** Reads the mails to an address, newest first. Default: the development mailbox. */
  readonly mails?: MailReader | undefined
}

/** Reads a catalogue, so that tests can locate elements by their visible text. */
export const words = async (language: string, name: string) =>
  JSON.parse(await readFile(path.resolve(import.meta.dirname, `../../../content/${language}/${name}.json`), 'utf8'))

/**
 * Generates a new user's first two videos in a browser: registers, verifies the email address, signs in, generates a
 * video from text and one from an image, and plays and downloads both.
 * @throws if a step fails or the page reports an error
 */
export async function walkJourney(browser: Browser, url: string, { language, width, mails }: Walk): Promise<void> {
  const locale = language === 'zh' ? 'zh-CN' : 'en-US'
  const context = await browser.newContext({ locale, viewport: { width, height: 860 }, acceptDownloads: true })
  const page = await context.newPage()
  const faults: string[] = []
  page.on('pageerror', (error) => faults.push(error.message))
  page.on('console', (line) => {
    // The browser itself logs the 401 of a signed-out visitor's session check.
    if (line.type() === 'error' && !/401|net::ERR_ABORTED/.test(line.text())) faults.push(line.text())
  })
  await signUp(page, url, language, mails)
  const texts = await words(language, 'workspace')
  await makeFromText(page, texts)
  await makeFromImage(page, texts)
  expect(faults).toEqual([])
  await context.close()
}

/** Draws a 16:9 picture with a sky, a sun and a hill. */
function photo(): Buffer {
  const canvas = createCanvas(1280, 720)
  const draw = canvas.getContext('2d')
  const sky = draw.createLinearGradient(0, 0, 0, 720)
  sky.addColorStop(0, '#24306b')
  sky.addColorStop(1, '#ffb36b')
  draw.fillStyle = sky
  draw.fillRect(0, 0, 1280, 720)
  draw.fillStyle = '#ffe9a8'
  draw.beginPath()
  draw.arc(860, 320, 70, 0, 7)
  draw.fill()
  draw.fillStyle = '#1d2b1f'
  draw.beginPath()
  draw.ellipse(500, 800, 900, 320, 0, 0, 7)
  draw.fill()
  return canvas.toBuffer('image/jpeg')
}

/** Reads the mails that Mailpit has caught. @param url where Compose serves it */
export const mailCatcher =
  (url: string): MailReader =>
  async (to) => {
    const read = async (path: string) => (await fetch(`${url}/api/v1/${path}`)).json()
    const { messages } = (await read(`search?query=to:${to}`)) as { messages: { ID: string }[] }
    return Promise.all(messages.map(async ({ ID }) => ({ text: (await read(`message/${ID}`)).Text as string })))
  }

export async function signUp(page: Page, url: string, language: string, mails?: MailReader): Promise<void> {
  const prefix = language === 'zh' ? '/zh' : ''
  const { field, register, pending, verify, login } = await words(language, 'auth')
  const email = `${language}.${Date.now()}@kinora.test`
  await page.goto(`${url}/auth/register`)
  await page.waitForURL(`**${prefix}/auth/register`)
  await page.getByLabel(field.name, { exact: true }).fill(language === 'zh' ? '王小明' : 'Ada Lovelace')
  await page.getByLabel(field.email, { exact: true }).fill(email)
  await page.getByLabel(field.password, { exact: true }).fill('correct horse 1')
  await page.getByLabel(field.confirm, { exact: true }).fill('correct horse 1')
  await page.getByRole('button', { name: register.submit, exact: true }).click()
  await page.getByRole('heading', { name: pending.heading }).waitFor()
  await page.goto(await mailedLink(url, email, undefined, mails))
  await page.getByRole('heading', { name: verify.successHeading }).waitFor()
  await page.getByRole('link', { name: verify.loginNow }).click()
  await page.getByLabel(field.email, { exact: true }).fill(email)
  await page.getByLabel(field.password, { exact: true }).fill('correct horse 1')
  await page.locator('main').getByRole('button', { name: login.submit, exact: true }).click()
  await page.waitForURL(`**${prefix}/workspace`)
}

type Texts = Awaited<ReturnType<typeof words>>

/** Generates a video, waits for it, plays it and downloads it. */
async function makeAndTake(page: Page, texts: Texts, row: ReturnType<Page['getByRole']>): Promise<void> {
  await page.getByRole('button', { name: new RegExp(texts.form.generate) }).click()
  await row.getByText(texts.status.Processing).waitFor()
  await row.getByRole('progressbar').waitFor()
  await row.getByRole('button', { name: texts.task.play }).waitFor()
  await row.getByRole('button', { name: texts.task.play }).click()
  const video = page.locator('dialog[open] video')
  await expect.poll(() => video.evaluate((element: HTMLVideoElement) => element.currentTime)).toBeGreaterThan(0.2)
  await page.keyboard.press('Escape')
  const download = page.waitForEvent('download')
  await row.getByRole('link', { name: texts.task.download }).click()
  const file = await download
  expect(file.suggestedFilename()).toMatch(/\.mp4$/)
  expect((await readFile(await file.path())).subarray(4, 8).toString()).toBe('ftyp')
}

export async function makeFromText(page: Page, texts: Texts): Promise<void> {
  const prompt = 'A lighthouse by the sea at dusk 灯塔'
  await page.getByRole('textbox', { name: texts.form.prompt }).fill(prompt)
  await makeAndTake(page, texts, page.getByRole('listitem').filter({ hasText: prompt }))
}

async function makeFromImage(page: Page, texts: Texts): Promise<void> {
  await page.getByRole('tab', { name: texts.form.image }).click()
  await page.locator('input[type=file]').setInputFiles({ name: 'hill.jpg', mimeType: 'image/jpeg', buffer: photo() })
  await page.getByText(texts.image.ready).waitFor()
  const prompt = 'The sun sets behind the hill 夕阳'
  await page.getByRole('textbox', { name: texts.form.prompt }).fill(prompt)
  await makeAndTake(page, texts, page.getByRole('listitem').filter({ hasText: prompt }))
}
