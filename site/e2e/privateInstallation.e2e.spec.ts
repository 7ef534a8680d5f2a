import { execFile } from 'node:child_process'
import type { AddressInfo } from 'node:net'
import { connect } from 'node:net'
import path from 'node:path'
import { createServer } from 'node:tls'
import { promisify } from 'node:util'
import type { Browser } from 'playwright'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { testCertificate } from '#backend/providers/payments/paypal/testing/testCertificate.ts'
import {
  DOUBLE_KEY,
  type MinimaxDouble,
  startMinimaxDouble,
} from '#backend/providers/video/minimax/testing/minimaxDouble.ts'
import { freePort } from '#backend/testing/freePort.ts'
import { QUICK_TIMING } from '#backend/testing/quickTiming.ts'
import { startTestKinora, type TestKinora } from '#backend/testing/testKinora.ts'
import { chromiumPath, launchChromium } from './testing/chromium.ts'
import { words } from './testing/walkJourney.ts'

const HOST = 'videos.kinora.test'
const PASSWORD = 'correct horse 1'
const PROGRAM = path.resolve(import.meta.dirname, '../../backend/programs/invite.ts')
const lacks = chromiumPath() ? '' : ' (no Chromium here)'

/** Terminates TLS like the proxy in front of an installation. */
async function startProxy(port: number) {
  const { pem: cert, privateKey } = testCertificate(HOST, { from: 0, to: Date.now() + 3_600_000 })
  const key = privateKey.export({ type: 'pkcs8', format: 'pem' })
  const server = createServer({ cert, key }, (socket) => {
    const upstream = connect(port, '127.0.0.1')
    socket.pipe(upstream).pipe(socket)
    for (const end of [socket, upstream]) end.on('error', () => [socket, upstream].map((other) => other.destroy()))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return { url: `https://${HOST}:${(server.address() as AddressInfo).port}`, close: () => server.close() }
}

describe.skipIf(lacks)(`the smallest production, over TLS${lacks}`, () => {
  let engine: MinimaxDouble
  let proxy: Awaited<ReturnType<typeof startProxy>>
  let kinora: TestKinora
  let browser: Browser
  let env: Record<string, string>
  beforeAll(async () => {
    engine = await startMinimaxDouble()
    const PORT = String(await freePort())
    proxy = await startProxy(Number(PORT))
    const settings = { PUBLIC_URL: proxy.url, MINIMAX_API_KEY: DOUBLE_KEY, MINIMAX_BASE_URL: engine.url }
    env = { NODE_ENV: 'production', ...settings }
    kinora = await startTestKinora({ env: { ...env, PORT }, minimax: QUICK_TIMING })
    browser = await launchChromium([`--host-resolver-rules=MAP ${HOST} 127.0.0.1`])
  })
  afterAll(async () => {
    await browser?.close()
    proxy?.close()
    await kinora?.close()
    await engine?.close()
  })

  it('leads from an invitation to the first video, without plans and registration', async () => {
    const auth = await words('en', 'auth')
    const workspace = await words('en', 'workspace')
    const context = await browser.newContext({ locale: 'en-US', ignoreHTTPSErrors: true })
    const page = await context.newPage()
    await page.goto(`${proxy.url}/auth/register`)
    await page.getByRole('heading', { name: auth.closed.register }).waitFor()
    await expect.poll(() => page.getByRole('textbox').count()).toBe(0)
    await page.goto(proxy.url)
    await expect.poll(() => page.locator('#pricing-section').isVisible()).toBe(false)

    const options = { env: { ...process.env, ...env, DATA_DIR: kinora.dataDir } }
    const { stdout } = await promisify(execFile)(process.execPath, [PROGRAM, 'ada@example.com'], options)
    await page.goto(stdout.trim())
    await page.getByLabel(auth.reset.password, { exact: true }).fill(PASSWORD)
    await page.getByLabel(auth.reset.confirm, { exact: true }).fill(PASSWORD)
    await page.getByRole('button', { name: auth.reset.submit, exact: true }).click()
    await page.getByRole('link', { name: auth.verify.loginNow }).click()
    await page.getByLabel(auth.field.email, { exact: true }).fill('ada@example.com')
    await page.getByLabel(auth.field.password, { exact: true }).fill(PASSWORD)
    await page.locator('main').getByRole('button', { name: auth.login.submit, exact: true }).click()
    await page.waitForURL('**/workspace')
    const prompt = 'A lighthouse by the sea at dusk'
    await page.getByRole('textbox', { name: workspace.form.prompt }).fill(prompt)
    await page.getByRole('button', { name: new RegExp(workspace.form.generate) }).click()
    const row = page.getByRole('listitem').filter({ hasText: prompt })
    await row.getByRole('button', { name: workspace.task.play }).waitFor()

    await page.goto(`${proxy.url}/profile`)
    const { noPlans } = await words('en', 'subscription')
    await page.getByText(noPlans).waitFor()
    await expect.poll(() => page.getByText('PayPal').filter({ visible: true }).count()).toBe(0)
    await context.close()
  })
})
