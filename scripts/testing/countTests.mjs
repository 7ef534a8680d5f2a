import { writeFileSync } from 'node:fs'

/** Vitest reporter for `scripts/testing/test.mjs` that counts tests, and collects the reasons for skipped
 * suites and the tests that passed at the second attempt. */
export default class CountTests {
  onTestRunEnd(modules, unhandledErrors) {
    const counts = { passed: 0, failed: 0, skipped: 0, reasons: [], flaky: [] }
    // An error outside any test also counts as a failure.
    counts.failed += unhandledErrors.length
    for (const module of modules) countModule(module, counts)
    writeFileSync(process.env.KINORA_TEST_COUNTS, JSON.stringify(counts))
  }
}

function countModule(module, counts) {
  const reasons = new Set()
  let failed = 0
  for (const test of module.children.allTests()) {
    const { state, note, errors } = test.result()
    if (test.diagnostic()?.flaky) counts.flaky.push(`${module.relativeModuleId}: ${test.fullName}${firstFault(errors)}`)
    if (state === 'passed') counts.passed++
    else if (state === 'failed') failed++
    else {
      counts.skipped++
      reasons.add(reasonOf(test, note))
    }
  }
  const broken = module.errors().length + [...module.children.allSuites()].flatMap((suite) => suite.errors()).length
  counts.failed += failed || (broken > 0 || module.state() === 'failed' ? 1 : 0)
  for (const reason of reasons) counts.reasons.push(`${module.relativeModuleId}: ${reason}`)
}

/** Returns the first line of the first attempt's error, and the line of the test that it came from. */
function firstFault([error] = []) {
  if (!error) return ''
  const place = error.stacks?.at(-1)
  return ` (${error.message.split('\n')[0]}${place ? `, line ${place.line}` : ''})`
}

/** Returns the name and note of the outermost skipped suite or test, which state what is missing. */
function reasonOf(test, note) {
  let outermost = test
  for (let one = test; one.type !== 'module'; one = one.parent) if (isSkipped(one)) outermost = one
  return note ? `${outermost.name} (${note})` : outermost.name
}

const isSkipped = (one) => one.options?.mode === 'skip' || one.options?.mode === 'todo'
