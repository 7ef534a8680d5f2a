import { writeFileSync } from 'node:fs'
import path from 'node:path'
import { parseArgs } from 'node:util'
import { type Outcome, outcomeOf } from './outcome.ts'
import { PARTS } from './parts.ts'

const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: {
    record: { type: 'boolean', default: false },
    full: { type: 'boolean', default: false },
    save: { type: 'boolean', default: false },
    pictures: { type: 'string' },
  },
})
const names = PARTS.map(({ name }) => name).filter((name) => positionals.every((text) => name.includes(text)))
const outcomes: Outcome[] = []
for (const name of names) {
  const outcome = await outcomeOf(name, { ...values, pictures: values.pictures })
  console.log(outcome.line)
  outcomes.push(outcome)
}
const numberOf = (wanted: Outcome['result']) => outcomes.filter(({ result }) => result === wanted).length
const sum = `${numberOf('passed')} passed, ${numberOf('failed')} failed, ${numberOf('skipped')} skipped`
console.log(sum)
if (values.save) {
  const date = new Date().toISOString().slice(0, 10)
  const lines = [`${date}: ${sum}`, '', ...outcomes.map(({ line }) => line.split('\n')[0])]
  writeFileSync(path.join(import.meta.dirname, 'results.txt'), `${lines.join('\n')}\n`)
}
process.exit(numberOf('failed') > 0 || names.length === 0 ? 1 : 0)
