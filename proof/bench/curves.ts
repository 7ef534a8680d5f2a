import { writeFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { judge, toMarkdown } from './curves/growth.ts'
import { measureEvents } from './curves/measureEvents.ts'
import { measureUsers } from './curves/measureUsers.ts'
import { measureViews } from './curves/measureViews.ts'
import { curvesOf, type Sample } from './curves/sample.ts'
import { describeMachine, readLoad } from './table/report.ts'

/**
 * Measures what an operation costs as the data grows from a thousand to a million events, users and views, and proves that
 * reads stay flat and that nothing grows faster than the data: `npm run bench -- curves [--full] [--only <axis>] [--json
 * <file>]`. `--full` goes to ten million, which takes an hour. Ends with 1 if a curve exceeds its limit.
 */
const { values } = parseArgs({
  options: { full: { type: 'boolean' }, only: { type: 'string' }, json: { type: 'string' } },
})
const sizes = [1e3, 1e4, 1e5, 1e6, ...(values.full ? [1e7] : [])]
const machine = { ...describeMachine(), load: readLoad() }

const samples: Sample[] = []
for (const [axis, measure] of Object.entries({ events: measureEvents, users: measureUsers, views: measureViews })) {
  if (values.only && values.only !== axis) continue
  for await (const sample of measure(sizes)) {
    samples.push(sample)
    const { id, size, cpu_ms, wall_ms } = sample
    console.log(
      `${id}, ${size.toLocaleString('en')}: CPU ${cpu_ms.toPrecision(3)} ms, wall ${wall_ms.toPrecision(3)} ms`,
    )
  }
}

const curves = curvesOf(samples)
console.log(`\n${toMarkdown(curves)}`)
if (values.json) writeFileSync(values.json, `${JSON.stringify({ machine, curves }, undefined, 2)}\n`)
const exceeded = curves.filter((curve) => !judge(curve).holds)
for (const { id, limit } of exceeded) console.error(`${id} is not ${limit}`)
process.exitCode = exceeded.length > 0 ? 1 : 0
