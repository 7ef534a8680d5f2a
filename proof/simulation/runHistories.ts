import { runHistory } from './history.ts'
import { planHistory } from './plan.ts'
import { shorten, withActions } from './shorten.ts'

export interface Options {
  readonly seed: number
  readonly histories: number
  /** Indexes of the actions to keep; all by default. */
  readonly actions: readonly number[] | undefined
  readonly traced: boolean
  readonly now: () => number
  readonly print: (line: string) => void
}

const PROGRESS_MS = 10_000
const COMMAND = 'npm run simulate --'

/** Runs the histories of consecutive seeds, and reports the first that breaks an invariant. Returns the exit code. */
export async function runHistories(options: Options): Promise<number> {
  const { seed, histories, now, print } = options
  const begin = now()
  const counts: Record<string, number> = {}
  const summary = (done: number) => {
    const each = ((now() - begin) / done).toFixed(1)
    const what = Object.entries(counts).map(([name, count]) => `${count} ${name}`)
    return `${done} histories, ${each} ms each: ${what.join(', ')}`
  }
  let printed = begin
  for (let index = 0; index < histories; index++) {
    const whole = planHistory(seed + index)
    const plan = options.actions ? withActions(whole, options.actions) : whole
    const outcome = await runHistory(plan, options)
    for (const line of outcome.trace) print(line)
    if (outcome.violation) {
      const only = options.actions ?? (await shorten(plan, outcome.violation.invariant))
      await report(seed + index, only, options)
      return 1
    }
    for (const [name, count] of Object.entries(outcome.counts)) counts[name] = (counts[name] ?? 0) + count
    if (now() - printed > PROGRESS_MS && !options.traced) {
      printed = now()
      print(summary(index + 1))
    }
  }
  print(`no invariant was broken. ${summary(histories)}`)
  return 0
}

/** Prints what happens in the shortened history. */
async function report(seed: number, actions: readonly number[], { traced, print }: Options): Promise<void> {
  const { violation, trace } = await runHistory(withActions(planHistory(seed), actions), { traced: true })
  if (!traced) for (const line of trace) print(line)
  print(`\nseed ${seed} breaks an invariant: ${violation?.message}`)
  print(`the whole history:     ${COMMAND} --seed ${seed} --histories 1 --trace`)
  print(`the shortened history: ${COMMAND} --seed ${seed} --histories 1 --trace --actions ${actions.join(',')}`)
}
