import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { constants } from 'node:os'
import path from 'node:path'
import { fileURLToPath } from 'node:url'

/** The project's root folder. From the URL, because Node 20 has `import.meta.dirname` only since 20.11. */
export const ROOT = path.resolve(fileURLToPath(new URL('..', import.meta.url)))

/** Path of the project's own Node.js, which is installed as a package. */
export const NODE = path.join(ROOT, 'node_modules/.bin/node')

/** Folder in which Node.js keeps compiled sources. It saves a third of the time in which the server starts. */
export const COMPILE_CACHE = path.join(ROOT, 'node_modules/.cache/compiled')

/** The same for test workers and the programs that they start. */
export const TEST_COMPILE_CACHE = path.join(ROOT, 'node_modules/.cache/kinora-tests')

/**
 * Environment in which the server gives freed memory back. glibc otherwise raises its thresholds with the largest freed
 * block, and a worker that renders keeps 200 MB of them. The image sets it too.
 */
export const RETURN_MEMORY = { MALLOC_TRIM_THRESHOLD_: '131072' }

/** Returns the path of a package's command, a script for {@link NODE} to run. */
export const tool = (name) => path.join(ROOT, 'node_modules/.bin', name)

const SAME_SIGNAL_MS = 500
const running = new Set()
let lastSignal = 0
let interrupted = false
let worstCode = 0

const codeOf = (code, signal) => code ?? 128 + (constants.signals[signal] ?? 1)

/**
 * Forwards a signal to all running programs. Ctrl-C arrives twice, from the terminal and from npm, but must be
 * forwarded only once, because a second signal makes the server stop without draining.
 */
function forward(signal) {
  if (running.size === 0) process.exit(codeOf(null, signal))
  if (Date.now() - lastSignal < SAME_SIGNAL_MS) return
  lastSignal = Date.now()
  interrupted = true
  for (const child of running) child.kill(signal)
}
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => forward(signal))

/**
 * Runs a program. Resolves with its exit code and, if `quiet`, its output. After a signal it does not resolve: when the
 * last program has exited, this process exits with the highest of the codes since.
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
      // In its own process group, so that a signal from the terminal reaches it only through `forward`.
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
      if (!interrupted) return resolve({ code, output: printed })
      worstCode = Math.max(worstCode, code)
      if (running.size === 0) process.exit(worstCode)
    })
  })
}

/** Returns the arguments that make Node.js read `.env`; empty if there is no such file. */
export const settings = () => (existsSync(path.join(ROOT, '.env')) ? ['--env-file=.env'] : [])

/** Returns the arguments that run a main module of the server. It needs `ipc`, and KINORA_STARTER in its environment. */
export const serverArguments = (main) => [...settings(), '--import=./scripts/stopWithStarter.mjs', main]

/** Formats the time since `start` (epoch milliseconds) in seconds. */
export const secondsSince = (start) => `${((Date.now() - start) / 1000).toFixed(1)} s`
