import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { parseArgs } from 'node:util'
import { PARTS } from './parts.ts'
import type { Outcome } from './runPart.ts'

const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: {
    record: { type: 'boolean', default: false },
    full: { type: 'boolean', default: false },
    save: { type: 'boolean', default: false },
    pictures: { type: 'string' },
  },
})
const cache = path.resolve(import.meta.dirname, '../../node_modules/.cache/kinora-real')
/** A build of Kubernetes takes half an hour. */
const LIMIT_MINUTES = values.full ? 90 : 20
const names = PARTS.map(({ name }) => name).filter((name) => positionals.every((text) => name.includes(text)))

mkdirSync(cache, { recursive: true })
const outcomes: Outcome[] = []
for (const name of names) {
  const outcome = await outcomeOf(name)
  console.log(outcome.line)
  outcomes.push(outcome)
}
const numberOf = (wanted: Outcome['result']) => outcomes.filter(({ result }) => result === wanted).length
const sum = `${numberOf('passed')} passed, ${numberOf('failed')} failed, ${numberOf('skipped')} skipped`
console.log(sum)
if (values.save) {
  const firsts = outcomes.map(({ line }) => line.split('\n')[0])
  const text = [`${new Date().toISOString().slice(0, 10)}: ${sum}`, '', ...firsts, ''].join('\n')
  writeFileSync(path.join(import.meta.dirname, 'results.txt'), text)
}
process.exit(numberOf('failed') > 0 || names.length === 0 ? 1 : 0)

/** Runs a part in a process group of its own, which ends with all that the part has started. */
async function outcomeOf(name: string): Promise<Outcome> {
  const folder = mkdtempSync(path.join(tmpdir(), 'kinora-real-'))
  const context = JSON.stringify({ ...values, folder, cache })
  const child = fork(path.join(import.meta.dirname, 'runPart.ts'), [name, context], { detached: true })
  let reason: string | undefined
  const limit = setTimeout(() => {
    reason = `it did not end within ${LIMIT_MINUTES} minutes`
    endGroup(child)
  }, LIMIT_MINUTES * 60_000)
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
  return (
    outcome ?? { result: 'failed', line: `${name}: failed, ${reason ?? `its process ended with ${code ?? signal}`}` }
  )
}

function endGroup({ pid }: ChildProcess): void {
  try {
    process.kill(-pid!, 'SIGKILL')
  } catch {
    // All have ended.
  }
}
