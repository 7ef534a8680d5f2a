import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { chownSync, existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import type { Browser } from 'playwright'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { FULL } from '#backend/testing/fullRun.ts'
import { chromiumPath, launchChromium } from './testing/chromium.ts'
import { walkJourney } from './testing/walkJourney.ts'

const ROOT = path.resolve(import.meta.dirname, '../..')
/** Installs twice from the registry, which takes minutes and the network, so only `npm run test:full` runs it. */
const lacks = !FULL ? 'npm run test:full' : chromiumPath() ? '' : 'a Chromium'
const isRoot = process.getuid?.() === 0
const NOBODY = 65534

/** The environment of a new terminal, without the variables of this test run. */
function cleanEnvironment(home: string, port: number): Record<string, string> {
  const kept = Object.entries(process.env).filter(([name]) =>
    /^(LANG|TZ|.*_proxy|.*CERT.*|npm_config_cafile)$/i.test(name),
  )
  const registry = execFileSync('npm', ['config', 'get', 'registry'], { cwd: os.tmpdir(), encoding: 'utf8' }).trim()
  const PATH = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin'
  return { ...Object.fromEntries(kept), PATH, HOME: home, PORT: String(port), npm_config_registry: registry } as Record<
    string,
    string
  >
}

function own(folder: string, uid: number): void {
  for (const entry of readdirSync(folder, { recursive: true })) chownSync(path.join(folder, String(entry)), uid, uid)
  chownSync(folder, uid, uid)
}

/** Clones the committed state and runs the README's first command. Resolves when the program is ready. */
async function startClone(
  folder: string,
  port: number,
  uid: number | undefined,
): Promise<{ url: string; child: ChildProcess }> {
  const clone = path.join(folder, 'kinora')
  const home = path.join(folder, 'home')
  execFileSync('git', ['clone', '--quiet', '--no-hardlinks', `file://${ROOT}`, clone])
  mkdirSync(home)
  if (uid !== undefined) own(folder, uid)
  const ids = uid === undefined ? {} : { uid, gid: uid }
  const child = spawn('npm', ['start'], { cwd: clone, env: cleanEnvironment(home, port), ...ids, detached: true })
  const output: string[] = []
  for (const stream of [child.stdout, child.stderr]) stream?.on('data', (text) => output.push(String(text)))
  const url = await new Promise<string>((resolve, reject) => {
    child.stdout?.on('data', () => {
      const address = /ready (\S+)/.exec(output.join(''))?.[1]
      if (address) resolve(address)
    })
    child.once('exit', (code) => reject(new Error(`npm start ended with ${code}: ${output.join('')}`)))
  })
  return { url, child }
}

describe.skipIf(lacks)(`a fresh clone${lacks && ` (needs ${lacks})`}`, () => {
  let browser: Browser
  beforeAll(async () => {
    browser = await launchChromium()
  })
  afterAll(async () => {
    await browser?.close()
  })

  for (const [name, uid, port] of [
    ['the user of the tests', undefined, 3491],
    ['a user without rights', NOBODY, 3492],
  ] as const) {
    it.skipIf(uid !== undefined && !isRoot)(`walks the whole journey for ${name}`, { timeout: 900_000 }, async () => {
      const place = mkdtempSync(path.join(os.tmpdir(), 'kinora clone '))
      const { url, child } = await startClone(place, port, uid)
      await walkJourney(browser, url, { language: 'en', width: 1280 })
      await walkJourney(browser, url, { language: 'zh', width: 390 })
      const gone = new Promise((resolve) => child.once('exit', resolve))
      // Ctrl-C signals the terminal's whole process group.
      process.kill(-child.pid!, 'SIGINT')
      expect(await gone).toBe(0)
      expect(existsSync(path.join(place, 'kinora/.data/postgres/postmaster.pid'))).toBe(false)
      rmSync(place, { recursive: true, force: true, maxRetries: 20, retryDelay: 200 })
    })
  }
})
