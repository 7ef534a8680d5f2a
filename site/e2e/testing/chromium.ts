import { existsSync } from 'node:fs'
import { type Browser, chromium } from 'playwright'

const SHELL = /headless[-_]shell/
const CANDIDATES = [
  '/usr/bin/chromium-headless-shell',
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
]
/** How long a step in a page may take on a busy machine. */
const STEP_MS = 120_000
const installed = () =>
  [process.env.KINORA_CHROMIUM, ...CANDIDATES, chromium.executablePath()].filter((file) => file && existsSync(file))

/** Returns the path of the configured browser, a system browser or Playwright's; undefined if there is none. */
export const chromiumPath = (): string | undefined => installed()[0]

/** Like `chromiumPath`, but not the headless shell, which shows no notices. */
export const wholeChromiumPath = (): string | undefined => installed().find((file) => !SHELL.test(file!))

/** Starts the browser. @param more additional command line arguments */
export async function launchChromium(more: readonly string[] = [], executablePath = chromiumPath()!): Promise<Browser> {
  const quiet = [
    '--disable-gpu',
    '--disable-quic',
    '--no-first-run',
    '--disable-background-networking',
    '--disable-sync',
  ]
  // Chromium's sandbox does not run as root.
  const sandbox = process.getuid?.() === 0 ? ['--no-sandbox'] : []
  const args = [...quiet, '--disable-component-update', ...sandbox, ...more]
  const browser = await chromium.launch({ executablePath, args })
  return browser.on('context', (context) => context.setDefaultTimeout(STEP_MS))
}

const shared = new Map<string, Promise<Browser>>()

/** Returns this worker's browser of a path. It starts for the first file that needs it, and again if it has crashed. */
export async function sharedChromium(executablePath: string): Promise<Browser> {
  const running = await shared.get(executablePath)
  if (running?.isConnected()) return running
  const started = launchChromium([], executablePath)
  shared.set(executablePath, started)
  return started
}
