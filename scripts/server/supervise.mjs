import { constants } from 'node:os'
import { setTimeout as delay } from 'node:timers/promises'
import { run } from '../run.mjs'

/** Exit code of backend/main.ts after an uncaught error. */
const UNCAUGHT = 70
/** Signals by which the system ends a program that has crashed. Not SIGKILL, which others send. */
const CRASHES = ['SIGABRT', 'SIGBUS', 'SIGFPE', 'SIGILL', 'SIGSEGV', 'SIGTRAP']
const RESTARTED_AFTER = new Set([UNCAUGHT, ...CRASHES.map((signal) => 128 + constants.signals[signal])])
const MAX_RESTARTS = 10
const WITHIN_MS = 60_000
/** Pause before a restart, ms. It doubles with each restart of the last minute. */
const [FIRST_PAUSE_MS, LONGEST_PAUSE_MS] = [100, 1_500]

/**
 * Runs a server, and runs it again after an uncaught error. Resolves with its exit code when it ends otherwise, or after
 * ten restarts in a minute.
 * @param start runs the server, which was restarted that many times before; resolves with its exit code
 */
export async function supervise(start, { now = Date.now, pause = (ms) => delay(ms), print = console.error } = {}) {
  const restarts = []
  for (let total = 0; ; total++) {
    const code = await start(total)
    if (!RESTARTED_AFTER.has(code)) return code
    while (restarts[0] <= now() - WITHIN_MS) restarts.shift()
    if (restarts.length === MAX_RESTARTS) {
      print(`The server has ended after uncaught errors ${MAX_RESTARTS + 1} times in a minute, and stays stopped.`)
      print('The errors are above. Report them, go back to the previous release, or start again.')
      return code
    }
    print(`The server has ended after an uncaught error (exit code ${code}), and is started again.`)
    await pause(Math.min(FIRST_PAUSE_MS * 2 ** restarts.length, LONGEST_PAUSE_MS))
    restarts.push(now())
  }
}

/** Runs and supervises the server with these arguments of Node.js. Resolves with the exit code. */
export const superviseServer = (node, args, { env = {}, ...options } = {}) =>
  supervise(async (restarts) => {
    const restarted = restarts > 0 && { KINORA_RESTARTS: String(restarts) }
    return (await run(node, args, { ...options, env: { ...env, ...restarted } })).code
  })

// `node scripts/server/supervise.mjs dist/main.js`, as the image does.
if (process.argv[1] === import.meta.filename)
  process.exit(await superviseServer(process.execPath, process.argv.slice(2), { stdin: 'inherit' }))
