import { randomUUID } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import path from 'node:path'
import { expect, it } from 'vitest'
import { readConfig } from '#backend/app/config/readConfig.ts'
import { eventually } from '#backend/testing/eventually.ts'
import { calls } from '../testing/contractWorkflows.ts'
import { describeOnTemporal } from '../testing/onTemporal.ts'
import { startTlsEntry } from '../testing/tlsEntry.ts'

const API_KEY = 'a key of the test suite'

describeOnTemporal('a Temporal server behind TLS', (on) => {
  it('runs workflows with the authority and the API key of the settings, and with no other key', async () => {
    const entry = await startTlsEntry(on.server.address, API_KEY)
    try {
      const authority = path.join(on.folder, 'authority.pem')
      writeFileSync(authority, entry.authority)
      const given = { TEMPORAL_ADDRESS: entry.address, TEMPORAL_TLS: authority, DATA_DIR: on.folder }
      const serverOf = (key: string) => readConfig({ ...given, TEMPORAL_API_KEY: key }).temporal!
      const engine = on.open({ short: async () => 'done' }, serverOf(API_KEY))
      const input = { id: randomUUID(), activity: 'short' }
      await engine.start(calls, input)
      expect(await engine.result(calls, input)).toEqual({ result: 'done' })
      expect([await engine.reachable(), entry.refused()]).toEqual([true, 0])

      const refused = on.open({}, serverOf('another key'))
      await eventually(() => expect(entry.refused()).toBeGreaterThan(0))
      expect(await refused.reachable()).toBe(false)
    } finally {
      entry.close()
    }
  })
})
