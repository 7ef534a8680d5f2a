import { execFile } from 'node:child_process'
import path from 'node:path'
import { describe, expect, it } from 'vitest'
import { FULL } from '#backend/testing/fullRun.ts'
import { sampled } from '#backend/testing/sampled.ts'
import { FAULTS } from './loader/faults.ts'

const PROGRAM = path.join(import.meta.dirname, 'simulate.ts')

/** Runs the simulation in a process of its own, because it replaces the clock and the timers. */
const simulate = (...args: string[]) =>
  new Promise<{ code: number; output: string }>((resolve) => {
    execFile(process.execPath, [PROGRAM, ...args], { maxBuffer: 1 << 26 }, (error, stdout, stderr) =>
      resolve({ code: error ? Number(error.code) : 0, output: stdout + stderr }),
    )
  })
const countOf = (what: string, output: string) => Number(new RegExp(`(\\d+) ${what}`).exec(output)?.[1] ?? 0)

describe('the simulation', () => {
  const histories = FULL ? 20_000 : 60

  it(`breaks no invariant in ${histories} histories`, { timeout: 3_600_000 }, async () => {
    const { code, output } = await simulate('--seed', '1', '--histories', String(histories))
    expect(output).toContain('no invariant was broken')
    expect(code).toBe(0)
    // Guards against histories in which nothing happens. A long run also prints its progress.
    const all = output.slice(output.indexOf('no invariant was broken'))
    for (const what of [
      'delivered',
      'failed',
      'cancelled',
      'stopped',
      'kills',
      'pauses',
      'outages',
      'parked',
      'sales',
      'paid by a team',
      'expelled',
      'teams closed',
    ])
      expect([what, countOf(what, all)]).toEqual([what, expect.toSatisfy((count) => count > histories / 100)])
  })

  it('repeats a history exactly', async () => {
    const run = () => simulate('--seed', '40', '--histories', '4', '--trace')
    const [first, second] = await Promise.all([run(), run()])
    const linesOf = ({ output }: { output: string }) => output.split('\n').slice(0, -2)
    expect(linesOf(first).length).toBeGreaterThan(100)
    expect(linesOf(second)).toEqual(linesOf(first))
  })

  it.each(sampled(Object.entries(FAULTS), 2))(
    'finds that %s',
    { timeout: 600_000 },
    async (fault, { invariant, seed }) => {
      const { code, output } = await simulate(
        '--fault',
        fault,
        '--seed',
        FULL ? '1' : String(seed),
        '--histories',
        '1000',
      )
      expect(output).toContain(`breaks an invariant: ${invariant}`)
      expect(code).toBe(1)
    },
  )

  it('refuses a fault that it does not know', async () => {
    const { code, output } = await simulate('--fault', 'none')
    expect([code, output]).toEqual([2, expect.stringContaining('no fault is called none')])
  })
})
