import { existsSync } from 'node:fs'
import { type Browser, chromium } from 'playwright'

const CANDIDATES = [
  '/usr/bin/chromium-headless-shell',
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
]

/** The browser that the tests were given, one of the system's, or Playwright's own; undefined where there is none. */
export const chromiumPath = (): string | undefined =>
  process.env.KINORA_CHROMIUM ?? [...CANDIDATES, chromium.executablePath()].find((file) => existsSync(file))

/** @param more arguments of the browser's command line */
export function launchChromium(more: readonly string[] = []): Promise<Browser> {
  const quiet = [
    '--disable-gpu',
    '--disable-quic',
    '--no-first-run',
    '--disable-background-networking',
    '--disable-sync',
  ]
  // The browser's sandbox does not work for root.
  const sandbox = process.getuid?.() === 0 ? ['--no-sandbox'] : []
  return chromium.launch({
    executablePath: chromiumPath()!,
    args: [...quiet, '--disable-component-update', ...sandbox, ...more],
  })
}
