import { mkdtempSync, rmSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import type { Browser, BrowserContext, Page } from 'playwright'
import { afterAll, beforeAll, describe } from 'vitest'
import type { Verification } from '#backend/audit/verify.ts'
import { runAudit } from '#backend/programs/audit.ts'
import { FULL } from '#backend/testing/fullRun.ts'
import { startProgram } from '#backend/testing/program.ts'
import { registerUser, type TestUser } from '#backend/testing/testUser.ts'
import { chromiumPath, sharedChromium } from './chromium.ts'

export interface Visit {
  readonly language: 'en' | 'zh'
  /** Viewport width in CSS pixels; 1280 by default. */
  readonly width?: number
  /** The signed-in user, if any. */
  readonly user?: TestUser
}

/** A running server and a browser for the tests of a file. */
export interface OnSite {
  readonly url: string
  readonly browser: Browser
  newUser(email?: string): Promise<TestUser>
  /** Opens a page in a new browser context, signed in as `user` if given. The caller closes `page.context()`. */
  visit(visit: Visit): Promise<Page>
  /** Returns the report of `audit verify` about the site's data. */
  audit(): Promise<Verification>
}

interface Site {
  readonly url: string
  /** Folder of its data, if the site is one process. */
  readonly folder?: string
  close(): Promise<void>
}

/** Renders small videos, which take a quarter of the time. The full run renders them as users see them. */
export const ENTRY = FULL
  ? undefined
  : path.resolve(import.meta.dirname, '../../../backend/testing/smallVideosProgram.ts')

/** The operator of the site. */
export const OPERATOR = { username: 'operator', password: 'a wall of numbers' }
const SETTINGS = { OPERATOR_USERNAME: OPERATOR.username, OPERATOR_PASSWORD: OPERATOR.password, PORT: '0' }

/** Starts Kinora as one process with embedded services. @param entry the module to run, if not Kinora's main module */
export async function startAlone(env: Record<string, string> = {}, entry?: string): Promise<Site> {
  const folder = mkdtempSync(path.join(process.env.KINORA_TEST_TEMPLATE ?? os.tmpdir(), 'kinora-e2e-'))
  const program = await startProgram({ ...SETTINGS, DATA_DIR: folder, ...env }, entry)
  const close = async () => {
    await program.stop()
    rmSync(folder, { recursive: true, force: true, maxRetries: 10 })
  }
  return { url: program.url, folder, close }
}

let shared: Promise<Site> | undefined

/** Returns the server that the files of this worker share. It stops with the worker; the end of the run removes its data. */
export async function sharedSite(): Promise<Site> {
  shared ??= startAlone({}, ENTRY)
  return { ...(await shared), close: async () => {} }
}

/**
 * Declares tests that need the server and a browser. Files without settings of their own share a server: their tests neither
 * move its clock nor expect that its data are theirs alone.
 */
export function describeOnSite(name: string, tests: (site: OnSite) => void, env?: Record<string, string>): void {
  describeInBrowser(name, env ? () => startAlone(env, ENTRY) : sharedSite, tests)
}

/** Like `describeOnSite`, but runs the tests on the site that `start` starts, in the browser at a path. */
export function describeInBrowser(
  name: string,
  start: () => Promise<Site>,
  tests: (site: OnSite) => void,
  program = chromiumPath(),
): void {
  const lacks = program ? '' : ' (no Chromium here)'
  describe.skipIf(lacks)(name + lacks, () => {
    let site: Site
    let browser: Browser
    beforeAll(async () => {
      site = await start()
      browser = await sharedChromium(program!)
    })
    afterAll(async () => {
      await Promise.all((browser?.contexts() ?? []).map((context) => context.close()))
      await site?.close()
    })
    tests({
      get url() {
        return site.url
      },
      get browser() {
        return browser
      },
      newUser: (email) => registerUser(site.url, email),
      audit: () => audit(site.folder!),
      visit: async ({ language, width = 1280, user }) => {
        const locale = language === 'zh' ? 'zh-CN' : 'en-US'
        const context = await browser.newContext({ locale, viewport: { width, height: 860 }, acceptDownloads: true })
        if (user) await signIn(context, site.url, user)
        return awaited(await context.newPage())
      },
    })
  })
}

async function audit(folder: string): Promise<Verification> {
  let printed = ''
  const print = (text: string) => {
    printed += text
  }
  await runAudit(['verify', '--json'], { env: { DATA_DIR: folder }, print, printError: print })
  return JSON.parse(printed) as Verification
}

/** Adds the user's session cookies to a browser context. */
async function signIn(context: BrowserContext, url: string, { cookie }: TestUser): Promise<void> {
  const pairs = cookie.split('; ').map((pair) => pair.split('=') as [string, string])
  await context.addCookies(pairs.map(([name, value]) => ({ name, value, url })))
}

/** Makes `goto` and `waitForURL` wait for the page's scripts, which public pages load after the first paint. */
function awaited(page: Page): Page {
  const [goto, waitForURL] = [page.goto.bind(page), page.waitForURL.bind(page)]
  const isAwake = () =>
    !document.querySelector('script[data-late]') || document.documentElement.dataset.awake !== undefined
  return Object.assign(page, {
    waitForURL: async (...args: Parameters<typeof waitForURL>) => {
      await waitForURL(...args)
      if (!/commit|domcontentloaded/.test(args[1]?.waitUntil ?? '')) await page.waitForFunction(isAwake)
    },
    goto: async (...args: Parameters<typeof goto>) => {
      const answer = await goto(...args)
      if (!/commit|domcontentloaded/.test(args[1]?.waitUntil ?? '')) await page.waitForFunction(isAwake)
      return answer
    },
  })
}
