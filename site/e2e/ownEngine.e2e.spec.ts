import { mkdir, writeFile } from 'node:fs/promises'
import path from 'node:path'
import type { Browser, Page } from 'playwright'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { startComfyuiDouble } from '#backend/providers/video/comfyui/testing/comfyuiDouble.ts'
import { WAN } from '#backend/providers/video/comfyui/testing/exampleGraph.ts'
import {
  DOUBLE_KEY as DEFINITION_KEY,
  startDefinitionDouble,
} from '#backend/providers/video/definitions/testing/definitionDouble.ts'
import { shippedDefinitions } from '#backend/providers/video/definitions/testing/shippedDefinitions.ts'
import { DOUBLE_KEY, startMinimaxDouble } from '#backend/providers/video/minimax/testing/minimaxDouble.ts'
import { type Personality, startVideosApiDouble } from '#backend/providers/video/videosApi/testing/videosApiDouble.ts'
import { FULL } from '#backend/testing/fullRun.ts'
import { chromiumPath, launchChromium } from './testing/chromium.ts'
import { PRIVATE_HOST, startPrivate } from './testing/startPrivate.ts'
import { makeFromText, words } from './testing/walkJourney.ts'

interface Engine {
  readonly settings: Record<string, string>
  readonly prepare?: (folder: string) => Promise<void>
  /** Name of the model to choose, if it is not the first. */
  readonly model?: string
  readonly credits?: number
  readonly close: () => Promise<void>
}

/** Long enough that the page shows the progress. */
const RENDER_MS = 6_000

const videosApi = async (personality: Personality): Promise<Engine> => {
  const double = await startVideosApiDouble({ personality, model: 'Wan-AI/Wan2.2-TI2V-5B', renderMs: RENDER_MS })
  return { settings: { VIDEOS_API_URL: double.url }, close: double.close }
}
const comfyui = async (): Promise<Engine> => {
  const double = Object.assign(await startComfyuiDouble(), { renderMs: RENDER_MS })
  const prepare = async (folder: string) => {
    await mkdir(path.join(folder, 'comfyui'))
    await writeFile(path.join(folder, 'comfyui/wan.json'), JSON.stringify(WAN))
  }
  return { settings: { COMFYUI_URL: double.url }, prepare, close: double.close }
}
const minimax = async (): Promise<Engine> => {
  const double = await startMinimaxDouble({ renderMs: RENDER_MS })
  return { settings: { MINIMAX_API_KEY: DOUBLE_KEY, MINIMAX_BASE_URL: double.url }, close: double.close }
}

/** A provider that a shipped file describes. A file of the operator has the address of the double. */
const defined = async (name: string): Promise<Engine> => {
  const shipped = shippedDefinitions().find((definition) => definition.name === name)!
  const quick = { ...shipped, rate: { ...shipped.rate, pollSeconds: 1 } }
  const double = await startDefinitionDouble(quick, { renderMs: RENDER_MS })
  const prepare = async (folder: string) => {
    await mkdir(path.join(folder, 'providers'))
    await writeFile(path.join(folder, `providers/${name}.json`), JSON.stringify(double.definition))
  }
  // MiniMax's older models have the same key and come first.
  const isMinimax = shipped.baseUrlVariable !== undefined
  return {
    settings: {
      [shipped.key.variable]: DEFINITION_KEY,
      WEBHOOK_PRIVATE_HOSTS: new URL(double.url).hostname,
      ...(isMinimax ? { [shipped.baseUrlVariable!]: double.url } : {}),
    },
    ...(isMinimax ? { model: shipped.models[0]!.names.en } : {}),
    credits: 100,
    prepare,
    close: double.close,
  }
}

const ENGINES: readonly (readonly [string, () => Promise<Engine>])[] = [
  ['an engine such as vLLM-Omni', () => videosApi('vllm-omni')],
  ['an engine such as SGLang', () => videosApi('sglang')],
  ['ComfyUI', comfyui],
  ['MiniMax', minimax],
  ...shippedDefinitions().map(({ name }) => [name, () => defined(name)] as const),
]

describe.skipIf(!chromiumPath())(
  'a private installation in production, from an invitation to a video, without plans',
  () => {
    let browser: Browser
    beforeAll(async () => {
      browser = await launchChromium([`--host-resolver-rules=MAP ${PRIVATE_HOST} 127.0.0.1`])
    })
    afterAll(() => browser?.close())

    // `npm test` takes the engine that most people have.
    it.each(FULL ? ENGINES : ENGINES.slice(0, 1))('works on the double of %s', async (_, start) => {
      const engine = await start()
      onTestFinished(engine.close)
      const kinora = await startPrivate(engine.settings, engine.prepare)
      onTestFinished(kinora.close)
      const link = await kinora.invite('ada@kinora.test')
      expect(link).toMatch(`${kinora.url}/reset-password?token=`)
      // Some models cost more than the 60 credits of a new account.
      if (engine.credits) await kinora.grant('ada@kinora.test', engine.credits)
      const context = await browser.newContext({ locale: 'en-US', ignoreHTTPSErrors: true, acceptDownloads: true })
      onTestFinished(() => context.close())
      const page = await context.newPage()
      await expectClosed(page, kinora.url)
      await acceptInvitation(page, link, 'ada@kinora.test')
      if (engine.model) await page.getByRole('radio', { name: new RegExp(engine.model) }).check()
      await makeFromText(page, await words('en', 'workspace'))
      await page.goto(`${kinora.url}/profile`)
      await page.getByText((await words('en', 'subscription')).noPlans).waitFor()
      await expect.poll(() => page.getByText('PayPal').filter({ visible: true }).count()).toBe(0)
    })
  },
)

/** Expects that a visitor finds neither a registration nor prices. */
async function expectClosed(page: Page, url: string): Promise<void> {
  const { closed } = await words('en', 'auth')
  await page.goto(`${url}/auth/register`)
  await page.getByRole('heading', { name: closed.register }).waitFor()
  await expect.poll(() => page.getByRole('textbox').count()).toBe(0)
  await page.goto(url)
  await expect.poll(() => page.locator('#pricing-section').isVisible()).toBe(false)
}

/** Sets the password and signs in. */
async function acceptInvitation(page: Page, link: string, email: string): Promise<void> {
  const { field, login, reset, verify } = await words('en', 'auth')
  await page.goto(link)
  await page.getByLabel(reset.password, { exact: true }).fill('correct horse 1')
  await page.getByLabel(reset.confirm, { exact: true }).fill('correct horse 1')
  await page.getByRole('button', { name: reset.submit, exact: true }).click()
  await page.getByRole('heading', { name: reset.doneHeading }).waitFor()
  await page.getByRole('link', { name: verify.loginNow }).click()
  await page.getByLabel(field.email, { exact: true }).fill(email)
  await page.getByLabel(field.password, { exact: true }).fill('correct horse 1')
  await page.locator('main').getByRole('button', { name: login.submit, exact: true }).click()
  await page.waitForURL('**/workspace')
}
