import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { constants } from 'node:os'
import path from 'node:path'

/** The folder of the project. */
export const ROOT = path.resolve(import.meta.dirname ?? path.dirname(new URL(import.meta.url).pathname), '..')

/** The project's own Node, which is there once the packages are. */
export const NODE = path.join(ROOT, 'node_modules/.bin/node')

/** The script behind a package's command, to be run by {@link NODE}. */
export const tool = (name) => path.join(ROOT, 'node_modules/.bin', name)

const SAME_PRESS_MS = 500
const running = new Set()
let lastSignal = 0
let interrupted = false
let worstCode = 0

const codeOf = (code, signal) => code ?? 128 + (constants.signals[signal] ?? 1)

/**
 * Hands a signal on to every program that runs. One Ctrl-C arrives twice here, from the terminal and again from npm,
 * but has to arrive there once: the second one means "at once, without draining".
 */
function forward(signal) {
  if (running.size === 0) process.exit(codeOf(null, signal))
  if (Date.now() - lastSignal < SAME_PRESS_MS) return
  lastSignal = Date.now()
  interrupted = true
  for (const child of running) child.kill(signal)
}
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => forward(signal))

/**
 * Runs a program and resolves with its exit code and, when `quiet`, what it printed. After a signal it does not resolve:
 * once the last program has ended, this process ends with the worst of their codes.
 */
export function run(
  command,
  args,
  { env = {}, quiet = false, stdin = 'ignore', ipc = false, timeoutMs, onStart } = {},
) {
  const output = quiet ? 'pipe' : 'inherit'
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, {
      cwd: ROOT,
      env: { ...process.env, ...env },
      stdio: [stdin, output, output, ...(ipc ? ['ipc'] : [])],
      // A process group of its own: what a terminal sends to the whole group reaches it through us alone, once.
      detached: process.platform !== 'win32',
      timeout: timeoutMs,
    })
    running.add(child)
    onStart?.(child)
    let printed = ''
    for (const stream of [child.stdout, child.stderr])
      stream?.setEncoding('utf8').on('data', (text) => (printed += text))
    child.once('error', (error) => {
      running.delete(child)
      reject(error)
    })
    child.once('close', (exit, signal) => {
      running.delete(child)
      const code = codeOf(exit, signal)
      worstCode = Math.max(worstCode, code)
      if (!interrupted) resolve({ code, output: printed })
      else if (running.size === 0) process.exit(worstCode)
    })
  })
}

/** Returns the arguments by which Node reads `.env`, if the file exists. */
export const settings = () => (existsSync(path.join(ROOT, '.env')) ? ['--env-file=.env'] : [])

/** Returns the arguments that run the server. It needs `ipc`, and KINORA_STARTER in its environment. */
export const serverArguments = () => [...settings(), '--import=./scripts/stopWithStarter.mjs', 'backend/main.ts']

/** Seconds since a moment, for people. */
export const secondsSince = (start) => `${((Date.now() - start) / 1000).toFixed(1)} s`
