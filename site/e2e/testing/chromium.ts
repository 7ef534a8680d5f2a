import { existsSync } from 'node:fs'
import { type Browser, chromium } from 'playwright'

const CANDIDATES = [
  '/usr/bin/chromium-headless-shell',
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
]

/** Returns the path of the configured browser, a system browser or Playwright's; undefined if there is none. */
export const chromiumPath = (): string | undefined =>
  process.env.KINORA_CHROMIUM ?? [...CANDIDATES, chromium.executablePath()].find((file) => existsSync(file))

/** Starts the browser. @param more additional command line arguments */
export function launchChromium(more: readonly string[] = []): Promise<Browser> {
  const quiet = [
    '--disable-gpu',
    '--disable-quic',
    '--no-first-run',
    '--disable-background-networking',
    '--disable-sync',
  ]
  // Chromium's sandbox does not run as root.
  const sandbox = process.getuid?.() === 0 ? ['--no-sandbox'] : []
  return chromium.launch({
    executablePath: chromiumPath()!,
    args: [...quiet, '--disable-component-update', ...sandbox, ...more],
  })
}
