import { mkdtempSync, rmSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { AxeBuilder } from '@axe-core/playwright'
import type { Browser, BrowserContext } from 'playwright'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Program, startProgram } from '#backend/testing/program.ts'
import { registerUser } from '#backend/testing/testKinora.ts'
import { chromiumPath, launchChromium } from './chromium.ts'

const OPEN_PAGES = [
  '/',
  '/auth/login',
  '/auth/register',
  '/auth/forgot-password',
  '/reset-password?token=any',
  '/auth/email-verification-pending?email=ada@kinora.test',
  '/verify-email?token=any',
]
const WIDTHS = [390, 1280]

const folder = mkdtempSync(path.join(os.tmpdir(), 'kinora-axe-'))
let program: Program
let browser: Browser

/** What axe finds wrong on a page, and whether the page is wider than a narrow phone. */
async function faultsOf(context: BrowserContext, address: string, width: number): Promise<string[]> {
  const page = await context.newPage()
  await page.setViewportSize({ width, height: 860 })
  await page.goto(program.url + address, { waitUntil: 'networkidle' })
  const { violations } = await new AxeBuilder({ page: page as never }).analyze()
  await page.setViewportSize({ width: 320, height: 640 })
  const scrolls = await page.evaluate(() => document.documentElement.scrollWidth > window.innerWidth)
  await page.close()
  const named = violations.map(
    ({ id, nodes }) => `${address} at ${width} px: ${id} ${nodes.map(({ html }) => html).join(' ')}`,
  )
  return scrolls ? [...named, `${address}: scrolls sideways at 320 px`] : named
}

describe.skipIf(!chromiumPath())(`the pages${chromiumPath() ? '' : ' (no Chromium here)'}`, () => {
  beforeAll(async () => {
    program = await startProgram({ DATA_DIR: folder, PORT: '0' })
    browser = await launchChromium()
  })
  afterAll(async () => {
    await browser?.close()
    await program?.stop()
    rmSync(folder, { recursive: true, force: true, maxRetries: 10 })
  })

  it.each(['en-US', 'zh-CN'])('have no fault that axe finds (%s)', { timeout: 120_000 }, async (locale) => {
    const context = await browser.newContext({ locale })
    for (const width of WIDTHS)
      for (const address of OPEN_PAGES) expect(await faultsOf(context, address, width)).toEqual([])
    const { cookie } = await registerUser(program.url)
    const cookies = cookie
      .split('; ')
      .map((pair) => ({ name: pair.split('=')[0]!, value: pair.split('=')[1]!, url: program.url }))
    await context.addCookies(cookies)
    for (const width of WIDTHS) expect(await faultsOf(context, '/workspace', width)).toEqual([])
    await context.close()
  })
})
