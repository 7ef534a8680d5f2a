import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import path from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { describeMutant, mutate } from './generateMutants.ts'
import type { Trial, Verdict } from './mutantRunner.ts'
import { mutantsOf, type Target } from './targets.ts'
import { createTypeCheck } from './typeCheck.ts'

const ROOT = path.resolve(import.meta.dirname, '../..')
const RUNNER = path.join(import.meta.dirname, 'mutantRunner.ts')
/** A trial that takes longer than this, or than ten times the unmutated code, has been detected as a hang. */
const MIN_TIMEOUT_MS = 15_000

export interface Outcome {
  readonly file: string
  readonly line: number
  readonly code: string
  readonly change: string
  /** The test that failed, `hangs` or `does not compile`; undefined if the mutant survived. */
  readonly killedBy: string | undefined
}

/** A process with a warm Vitest. It is replaced after a trial that does not end. */
class Runner {
  #process: ChildProcess | undefined

  /** Returns undefined if the specs do not finish in time. */
  async try(trial: Trial, timeoutMs: number): Promise<Verdict | undefined> {
    this.#process ??= await start()
    const child = this.#process
    const stopWaiting = new AbortController()
    child.send(trial)
    const verdict = await Promise.race([
      once(child, 'message', stopWaiting).then(([message]): Verdict => message),
      once(child, 'exit', stopWaiting).then(() => undefined),
      delay(timeoutMs, undefined, stopWaiting),
    ]).finally(() => stopWaiting.abort())
    if (!verdict) {
      child.kill('SIGKILL')
      this.#process = undefined
    }
    return verdict
  }

  close(): void {
    if (this.#process?.connected) this.#process.disconnect()
  }
}

async function start(): Promise<ChildProcess> {
  // A runner that starts within a test must not mistake itself for that test's worker.
  const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith('VITEST')))
  const child = fork(RUNNER, {
    cwd: ROOT,
    env: { ...env, NODE_ENV: 'test' },
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  })
  await once(child, 'message')
  return child
}

/** Runs the specs of each target against each of its mutants. Throws if they fail without a mutant. */
export async function runMutants(targets: readonly Target[]): Promise<Outcome[]> {
  const runners = Array.from({ length: Math.min(availableParallelism(), 4) }, () => new Runner())
  const rejectsTypes = createTypeCheck()
  try {
    const outcomes: Outcome[] = []
    for (const { file, specs, ...target } of targets) {
      const text = readFileSync(path.join(ROOT, file), 'utf8')
      const started = performance.now()
      const baseline = await runners[0]!.try({ file, text, specs }, 300_000)
      if (!baseline || baseline.failed) throw new Error(`${specs}: fails without a mutant: ${baseline?.failed}`)
      const timeoutMs = Math.max(MIN_TIMEOUT_MS, 10 * (performance.now() - started))
      const waiting = mutantsOf({ file, specs, ...target }, text)
      const work = async (runner: Runner) => {
        for (let mutant = waiting.shift(); mutant; mutant = waiting.shift()) {
          const mutated = mutate(text, mutant)
          const verdict = await runner.try({ file, text: mutated, specs }, timeoutMs)
          const survived = verdict && !verdict.failed
          const killedBy = survived
            ? rejectsTypes(file, mutated)
              ? 'does not compile'
              : undefined
            : (verdict?.failed ?? 'hangs')
          outcomes.push({ file, line: mutant.line, ...describeMutant(text, mutant), killedBy })
        }
      }
      await Promise.all(runners.map(work))
    }
    return outcomes
  } finally {
    for (const runner of runners) runner.close()
  }
}
