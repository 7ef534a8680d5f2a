import { setFlagsFromString } from 'node:v8'
import { flag, parseOptions, runProgram, text, UsageError } from '#backend/kernel/commandLine.ts'
import { FAULTS, putBack } from './loader/faults.ts'
import { registerSubstitutes } from './loader/substitutes.ts'
import { installVirtualTime } from './time/virtualTime.ts'

const USAGE = `Usage: npm run simulate -- [--seed N] [--histories N] [--trace] [--actions I,J,…] [--fault NAME]

Runs random histories of a whole installation in virtual time and checks its invariants after every step.
See docs/mechanisms/simulation.md.

  --seed N         first seed (default: random); each history has the next one
  --histories N    number of histories (default: 1,000)
  --trace          prints what happens
  --actions I,J,…  keeps only these actions of the plan, counted from 0
  --fault NAME     puts a fault back:
${Object.keys(FAULTS)
  .map((name) => `                     ${name}`)
  .join('\n')}`

const OPTIONS = { seed: text, histories: text, trace: flag, actions: text, fault: text } as const

function readNumber(name: string, value: string): number {
  if (!/^\d+$/.test(value)) throw new UsageError(`--${name} must be a whole number`)
  return Number(value)
}

const program = { usage: USAGE, expected: [], print: console.log, printError: console.error }
process.exitCode = await runProgram(program, async () => {
  const values = parseOptions(process.argv.slice(2), OPTIONS)
  const { seed = String(Math.floor(Math.random() * 1e9)), histories = '1000', actions, trace = false, fault } = values
  const options = {
    seed: readNumber('seed', seed),
    histories: readNumber('histories', histories),
    actions: actions?.split(',').map((index) => readNumber('actions', index)),
    traced: trace,
    now: performance.now.bind(performance),
    print: console.log,
  }
  // Half of the time goes into garbage collection and into the stacks of expected errors otherwise.
  setFlagsFromString('--max-semi-space-size=64')
  setFlagsFromString('--min-semi-space-size=32')
  if (!trace) Error.stackTraceLimit = 0
  installVirtualTime()
  registerSubstitutes()
  if (fault !== undefined) {
    const known = FAULTS[fault]
    if (!known) throw new UsageError(`no fault is called ${fault}`)
    putBack(known)
  }
  // Loaded last, so that the product runs on virtual time and with the fault.
  const { runHistories } = await import('./runHistories.ts')
  return runHistories(options)
})
