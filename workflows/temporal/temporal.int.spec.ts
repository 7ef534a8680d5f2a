import { mkdtempSync, rmSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, describe } from 'vitest'
import type { Activities } from '../engine.ts'
import { contractPolicies } from '../testing/contractBodies.ts'
import { engineContract } from '../testing/engineContract.ts'
import { findTemporal, startTemporalServer, type TemporalServer } from '../testing/temporalServer.ts'
import { type Bundle, workflowBundle } from './bundle.ts'
import { TemporalEngine } from './temporalEngine.ts'

const program = findTemporal()
const lacking = program ? '' : ' (skipped: there is no temporal program, and pip could not install it)'

describe.skipIf(!program)(`a real Temporal server${lacking}`, () => {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'kinora-bundle-'))
  let server: TemporalServer
  let bundle: Bundle
  beforeAll(async () => {
    const entry = path.resolve(import.meta.dirname, '../testing/contractSandbox.ts')
    ;[server, bundle] = await Promise.all([startTemporalServer(program!), workflowBundle(folder, entry)])
  })
  afterAll(async () => {
    await server.close()
    rmSync(folder, { recursive: true, force: true })
  })

  engineContract('Temporal', {
    remembers: true,
    shortestRoundMs: 1_000,
    open: async (activities: Activities) =>
      new TemporalEngine({
        address: server.address,
        namespace: 'default',
        bundle: async () => bundle,
        activities,
        policies: contractPolicies,
        slots: { main: 20, narrow: 1 },
        onError: () => {},
        log: { info: () => {}, warn: (details, message) => process.env.LOUD && console.log(message, details) },
      }),
  })
})
