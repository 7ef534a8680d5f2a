import { mkdtempSync, rmSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { Client, Connection } from '@temporalio/client'
import { afterAll, afterEach, beforeAll, describe } from 'vitest'
import type { Activities } from '../engine/engine.port.ts'
import { type Bundle, workflowBundle } from '../temporal/bundle.ts'
import { TemporalEngine, type TemporalEngineOptions } from '../temporal/temporalEngine.ts'
import { contractPolicies } from './contractWorkflows.ts'
import { findTemporal, startTemporalServer, type TemporalServer } from './temporalServer.ts'

type Connected = Partial<Pick<TemporalEngineOptions, 'address' | 'namespace' | 'tls' | 'apiKey' | 'abandonedMs'>>

/** A Temporal server and engines for the workflows of the contract suite. */
export interface OnTemporal {
  readonly server: TemporalServer
  readonly connection: Connection
  readonly client: Client
  /** Folder of the bundles. */
  readonly folder: string
  /** Warnings that the engines of the current test have logged. */
  readonly warnings: string[]
  bundleOf(entry: string): Promise<Bundle>
  /** Opens an engine, which stops after the test. */
  open(activities: Activities, more?: Connected & { bundle?: Bundle }): TemporalEngine
}

const program = findTemporal()
const lacking = program ? '' : ' (skipped: no temporal program found, and pip could not install it)'

/** Declares tests that need a real Temporal server. It runs until the file's tests finish. */
export function describeOnTemporal(name: string, tests: (on: OnTemporal) => void): void {
  describe.skipIf(!program)(name + lacking, () => {
    const folder = mkdtempSync(path.join(os.tmpdir(), 'kinora-bundle-'))
    const bundleOf = (entry: string) => workflowBundle(folder, path.join(import.meta.dirname, entry))
    const [opened, warnings]: [TemporalEngine[], string[]] = [[], []]
    let server: TemporalServer
    let connection: Connection
    let client: Client
    let bundle: Bundle
    beforeAll(async () => {
      ;[server, bundle] = await Promise.all([startTemporalServer(program!), bundleOf('contractSandbox.ts')])
      connection = await Connection.connect({ address: server.address })
      client = new Client({ connection })
    })
    afterAll(async () => {
      await connection.close()
      await server.close()
      rmSync(folder, { recursive: true, force: true })
    })
    afterEach(async () => {
      await Promise.all(opened.splice(0).map((engine) => engine.stop()))
      warnings.length = 0
    })
    tests({
      folder,
      warnings,
      bundleOf,
      get server() {
        return server
      },
      get connection() {
        return connection
      },
      get client() {
        return client
      },
      open: (activities, { bundle: other, ...connected } = {}) => {
        const engine = new TemporalEngine({
          address: server.address,
          namespace: 'default',
          ...connected,
          bundle: async () => other ?? bundle,
          activities,
          policies: contractPolicies,
          slots: { main: 20, narrow: 1 },
          onError: () => {},
          log: { info: () => {}, warn: (_, message) => void warnings.push(message) },
        })
        opened.push(engine)
        return engine
      },
    })
  })
}
