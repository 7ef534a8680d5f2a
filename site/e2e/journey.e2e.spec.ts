import { mkdtempSync, rmSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import type { Browser } from 'playwright'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Program, startProgram } from '#backend/testing/program.ts'
import { chromiumPath, launchChromium } from './chromium.ts'
import { walkJourney } from './walkJourney.ts'
import { walkReset } from './walkReset.ts'

const folder = mkdtempSync(path.join(os.tmpdir(), 'kinora-e2e-'))
let program: Program
let browser: Browser

describe.skipIf(!chromiumPath())(`a person's first two videos${chromiumPath() ? '' : ' (no Chromium here)'}`, () => {
  beforeAll(async () => {
    program = await startProgram({ DATA_DIR: folder, PORT: '0' })
    browser = await launchChromium()
  })
  afterAll(async () => {
    await browser?.close()
    expect(await program?.stop()).toBe(0)
    rmSync(folder, { recursive: true, force: true, maxRetries: 10 })
  })

  it('are made in English, on a desk', { timeout: 240_000 }, () =>
    walkJourney(browser, program.url, { language: 'en', width: 1280 }),
  )

  it('are made in Chinese, on a phone', { timeout: 240_000 }, () =>
    walkJourney(browser, program.url, { language: 'zh', width: 390 }),
  )

  it.each(['en', 'zh'] as const)('are still there after a forgotten password (%s)', { timeout: 60_000 }, (language) =>
    walkReset(browser, program.url, language),
  )
})
