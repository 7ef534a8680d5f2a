import { execFile } from 'node:child_process'
import os from 'node:os'
import type { Attacker } from './attacker.ts'

const TIMEOUT_MS = 20 * 60_000
const KEPT = 1_500

/** Runs Schemathesis against the description, if it is installed. */
export async function schemathesis(attacker: Attacker, examples: number, seed: number): Promise<string> {
  const { cookie } = await attacker.target.newAccount()
  const limits = ['--max-examples', String(examples), '--seed', String(seed), '--checks', 'not_a_server_error']
  const args = ['run', `${attacker.target.api}/openapi.json`, ...limits, '-H', `Cookie: ${cookie}`]
  const { code, text } = await run(args)
  if (code === 'ENOENT') return 'not installed'
  // The exit code is 1 also for patterns that it cannot generate texts for.
  const cases = /(\d+) generated, .*passed.*/.exec(text)
  if (!cases || /\d+ failed|unique failure/.test(cases[0]))
    attacker.find(`schemathesis ends with ${code}: ${text.slice(-KEPT)}`)
  return cases?.[0] ?? ''
}

const run = (args: readonly string[]) =>
  new Promise<{ code: number | string; text: string }>((resolve) => {
    // It keeps a cache in its working directory.
    const cwd = os.tmpdir()
    execFile('schemathesis', args, { cwd, timeout: TIMEOUT_MS, maxBuffer: 64 * 1024 * 1024 }, (error, stdout, stderr) =>
      resolve({ code: error ? (error.code ?? 1) : 0, text: stdout + stderr }),
    )
  })
