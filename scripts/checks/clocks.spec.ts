import { readFileSync } from 'node:fs'
import { glob } from 'node:fs/promises'
import path from 'node:path'
import { describe, expect, it } from 'vitest'
import { ROOT } from '../run.mjs'
import { MEASURES, MEASURES_OF_FULL_RUN, WAITS } from '../testing/timedSpecs.mjs'
import { type ClockUse, clockUses } from './clocks.ts'

const CHECKED = '{backend,projections,workflows,renderer,proof,site,content,scripts}/**/*.spec.{ts,tsx}'
/** Browser tests still wait for limits of their own. */
/** Container specs wait for Docker, which only `npm run test:full` starts. */
const EXEMPT = ['**/{node_modules,dist}/**', 'site/e2e/containers/**']

const isIn = (lists: readonly string[], file: string) => lists.some((each) => path.matchesGlob(file, each))
const mayDo = (use: ClockUse, file: string) =>
  isIn([...MEASURES, ...MEASURES_OF_FULL_RUN], file) || (use === 'sleeps' && isIn(WAITS, file))

const faultsIn = (file: string, text: string) =>
  clockUses(file, text)
    .filter(({ use }) => !mayDo(use, file))
    .map(({ use, place }) => `${use}: ${place}`)

/** Tests that pass or fail by the speed of the machine, to be found in a file of no list. */
const VIOLATIONS: Readonly<Record<string, string>> = {
  'reads the clock: performance.now()': 'const begun = performance.now()',
  'reads the clock: Date.now() - begun': 'expect(Date.now() - begun).toBeLessThan(5_000)',
  'reads the clock: Date.now() < deadline': 'while (Date.now() < deadline) await null',
  'reads the clock: process.threadCpuUsage()': 'const before = process.threadCpuUsage()',
  'reads the clock: took.within(100)': 'took.within(100)',
  'sleeps: delay(200)': "import { setTimeout as delay } from 'node:timers/promises'\nawait delay(200)",
  'sleeps: setTimeout(resolve, ms)': 'const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms))',
  'limits a wait: vi.waitFor(() => expect(seen).toBe(1))': 'await vi.waitFor(() => expect(seen).toBe(1))',
  'limits a wait: expect.poll(read, { timeout: 5_000 })': 'await expect.poll(read, { timeout: 5_000 }).toBe(1)',
  'limits a wait: expect.poll(read, PATIENT)': 'await expect.poll(read, PATIENT).toBe(1)',
  'limits a wait: AbortSignal.timeout(500)': 'await fetch(url, { signal: AbortSignal.timeout(500) })',
  "limits a wait: it('ends', { timeout: 60_000 }, () => {})": "it('ends', { timeout: 60_000 }, () => {})",
  'limits a wait: beforeAll(start, 10_000)': 'beforeAll(start, 10_000)',
}
const ACCEPTED = [
  'await eventually(() => expect(seen).toBe(1))',
  'await expect.poll(read, { interval: 5 }).toBe(1)',
  'const now = () => Date.now() + moved',
  'const yesterday = Date.now() - 24 * HOUR_MS',
  "import { setImmediate as turn } from 'node:timers/promises'\nawait turn()",
  'vi.useFakeTimers()\nsetTimeout(done, 200)',
  'took.atLeast(900)',
  "it('is long', { timeout: 600_000 }, () => {})",
]

describe('check of clocks', () => {
  it('finds no test that a busy machine can fail, outside the lists in timedSpecs.mjs', async () => {
    const faults: string[] = []
    for await (const file of glob(CHECKED, { cwd: ROOT, exclude: EXEMPT }))
      faults.push(...faultsIn(file, readFileSync(path.join(ROOT, file), 'utf8')))
    expect(faults).toEqual([])
  })

  it.each(Object.entries(VIOLATIONS))('rejects a test that %s', (fault, text) => {
    const [use, call] = fault.split(': ', 2) as [ClockUse, string]
    expect(clockUses('a.spec.ts', text)).toEqual([{ use, place: expect.stringContaining(call) }])
  })

  it.each(ACCEPTED)('accepts %s', (text) => expect(clockUses('a.spec.ts', text)).toEqual([]))

  it('allows a wait in the files that wait, and a measurement in those that measure', () => {
    const [waits, measures] = ['workflows/temporal/temporal.int.spec.ts', 'backend/credits/longAccount.spec.ts']
    expect((['sleeps', 'reads the clock'] as const).map((use) => mayDo(use, waits))).toEqual([true, false])
    expect((['sleeps', 'reads the clock'] as const).map((use) => mayDo(use, measures))).toEqual([true, true])
  })
})
