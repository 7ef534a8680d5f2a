import { expect, it } from 'vitest'
import { FULL } from '#backend/testing/fullRun.ts'
import { formatReport } from './report.ts'
import { runAttack } from './runAttack.ts'

const REQUESTS = FULL ? 50_000 : 500

it(`withstands an attack with ${REQUESTS} fuzzed requests on every operation`, { timeout: 3_600_000 }, async () => {
  const report = await runAttack({ seed: FULL ? Date.now() % 1e9 : 20_261_122, requests: REQUESTS, print: () => {} })
  console.log(formatReport(report))
  expect(report.findings.map(({ attack, what }) => `${attack}: ${what}`)).toEqual([])
  expect(report.requests).toBeGreaterThan(REQUESTS)
})
