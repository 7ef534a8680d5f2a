import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import type { PartContext } from './part.ts'

/** What came of a part. */
export interface Outcome {
  readonly result: 'passed' | 'failed' | 'skipped'
  /** Name, version and reason. */
  readonly line: string
}

/** A build of Kubernetes takes half an hour. */
const LIMIT_MINUTES = { usual: 20, full: 90 }
const CACHE = path.resolve(import.meta.dirname, '../../node_modules/.cache/kinora-real')

/** Runs a part in a process group of its own, which ends with all that the part has started. */
export async function outcomeOf(name: string, options: Omit<PartContext, 'folder' | 'cache'>): Promise<Outcome> {
  mkdirSync(CACHE, { recursive: true })
  const folder = mkdtempSync(path.join(tmpdir(), 'kinora-real-'))
  const context: PartContext = { ...options, folder, cache: CACHE }
  const program = path.join(import.meta.dirname, 'runPart.ts')
  const child = fork(program, [name, JSON.stringify(context)], { detached: true, execArgv: [] })
  const minutes = options.full ? LIMIT_MINUTES.full : LIMIT_MINUTES.usual
  let reason: string | undefined
  const limit = setTimeout(() => {
    reason = `it did not end within ${minutes} minutes`
    endGroup(child)
  }, minutes * 60_000)
  let outcome: Outcome | undefined
  child.once('message', (message) => (outcome = message as Outcome))
  const [[code, signal]] = await Promise.all([once(child, 'exit'), once(child, 'disconnect')])
  clearTimeout(limit)
  endGroup(child)
  try {
    rmSync(folder, { recursive: true, force: true, maxRetries: 10 })
  } catch (error) {
    console.error((error as Error).message)
  }
  reason ??= `its process ended with ${code ?? signal}`
  return outcome ?? { result: 'failed', line: `${name}: failed, ${reason}` }
}

function endGroup({ pid }: ChildProcess): void {
  try {
    process.kill(-pid!, 'SIGKILL')
  } catch {
    // All have ended.
  }
}
