import { spawnSync } from 'node:child_process'
import { expect, it } from 'vitest'
import { FULL } from '../../testing/fullRun.ts'

const LOAD = ['proof/bench/load.ts', '--rate', '4', '--seconds', '60', '--render', '5', '--users', '4', '--seed', '7']
const FAULTS = ['--faults', '--kill-every', '20']

it.skipIf(!FULL)(
  'loses no video to provider errors, killed processes and doubled webhooks',
  { timeout: 600_000 },
  () => {
    const { stdout, status } = spawnSync(process.execPath, [...LOAD, ...FAULTS], { encoding: 'utf8' })
    console.log(stdout)
    expect(status).toBe(0)
    expect(stdout).toMatch(/240 videos; \d+ failed, 0 did not end\naudit verify: 0 deviations over \d+ events\n$/)
  },
)
