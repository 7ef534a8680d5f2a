import { writeFileSync } from 'node:fs'
import { parseOptions, runProgram, text, UsageError } from '#backend/kernel/commandLine.ts'
import { formatReport } from './report.ts'
import { runAttack } from './runAttack.ts'

const USAGE = `Usage: npm run attack -- [--seed N] [--requests N] [--json FILE]

Attacks a Kinora of its own: authorisation matrix, fuzzing, uploads, races, webhooks, worst-case patterns, sockets.
Ends with a report, and with exit code 1 if there is any finding. See docs/mechanisms/attack.md.

  --seed N      seed of the generator (default: random)
  --requests N  number of fuzzed requests (default: 50,000)
  --json FILE   also writes the report to a file`

const OPTIONS = { seed: text, requests: text, json: text } as const

function readNumber(name: string, value: string): number {
  if (!/^\d+$/.test(value)) throw new UsageError(`--${name} must be a whole number`)
  return Number(value)
}

const program = { usage: USAGE, expected: [], print: console.log, printError: console.error }
process.exitCode = await runProgram(program, async () => {
  const values = parseOptions(process.argv.slice(2), OPTIONS)
  const { seed = String(Math.floor(Math.random() * 1e9)), requests = '50000', json } = values
  const report = await runAttack({
    seed: readNumber('seed', seed),
    requests: readNumber('requests', requests),
    print: console.log,
  })
  console.log(formatReport(report))
  if (json) writeFileSync(json, `${JSON.stringify(report, null, 2)}\n`)
  return report.findings.length === 0 ? 0 : 1
})
