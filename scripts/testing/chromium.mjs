import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { NODE, run, tool } from '../run.mjs'

/** Commands in order of preference. The headless shell uses half of Chromium's CPU time, but shows no notices. */
const SHELL = 'chromium-headless-shell'
const COMMANDS = [SHELL, 'chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable']
const INSTALL_MS = 6 * 60_000

/**
 * Returns the path of a working Chromium: the configured one, the system's, Playwright's, or a newly installed one. In CI, a
 * missing headless shell is installed even beside another one. Returns undefined if none can be installed.
 */
export async function findOrInstallChromium() {
  const found = [process.env.KINORA_CHROMIUM, ...COMMANDS.map(onPath), bundledChromium()].find(starts)
  if (found && (!process.env.CI || process.env.KINORA_CHROMIUM || onPath(SHELL))) return found
  console.log('Installing a Chromium for the browser tests …')
  if (process.getuid?.() === 0 && onPath('apt-get')) {
    const apt = (...args) => run('apt-get', args, { env: { DEBIAN_FRONTEND: 'noninteractive' }, ...QUIETLY })
    await apt('update', '-qq')
    for (const names of [[SHELL, 'chromium'], ['chromium']]) {
      await apt('install', '-y', '-qq', ...names, 'fonts-noto-cjk')
      const installed = COMMANDS.map(onPath).find(starts)
      if (installed) return installed
    }
  }
  if (found) return found
  await run(NODE, [tool('playwright'), 'install', 'chromium'], QUIETLY)
  return [bundledChromium()].find(starts)
}

const QUIETLY = { quiet: true, timeoutMs: INSTALL_MS }

function onPath(command) {
  const folders = (process.env.PATH ?? '').split(':').filter(Boolean)
  return folders.map((folder) => `${folder}/${command}`).find((file) => existsSync(file))
}

function bundledChromium() {
  const program = "process.stdout.write((await import('playwright')).chromium.executablePath())"
  return spawnSync(NODE, ['--input-type=module', '-e', program], { encoding: 'utf8' }).stdout
}

/** Returns whether the program starts. On some systems it is a stub that names a package, or it lacks libraries. */
function starts(file) {
  return Boolean(file) && existsSync(file) && spawnSync(file, ['--version'], { timeout: 20_000 }).status === 0
}
