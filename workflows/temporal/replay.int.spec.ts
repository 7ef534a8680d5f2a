import { mkdtempSync, rmSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { Worker } from '@temporalio/worker'
import { afterAll, describe, expect, it } from 'vitest'
import { WORKFLOWS } from '../all.ts'
import { readHistory } from '../testing/historyFile.ts'
import { fileOf, RECORDED_RUNS } from '../testing/recordedRuns.ts'
import { workflowBundle } from './bundle.ts'
import { installRuntime } from './runtime.ts'

const folder = mkdtempSync(path.join(os.tmpdir(), 'kinora-bundle-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))
installRuntime({ info: () => {}, warn: () => {} })

/** Replays what a real server recorded (`npm run histories`), in this process; answers what did not fit, by its run. */
async function misfits(entry: string): Promise<Record<string, string>> {
  const bundle = await workflowBundle(folder, path.resolve(import.meta.dirname, entry))
  const recorded = RECORDED_RUNS.map((run) => ({ workflowId: fileOf(run), history: readHistory(run) }))
  const found: Record<string, string> = {}
  const replays = Worker.runReplayHistories({ workflowBundle: bundle }, recorded)
  for await (const { workflowId, error } of replays) if (error) found[workflowId] = error.name
  return found
}

describe('what was recorded of the workflows', () => {
  it('holds a run of each of them', () => {
    expect(new Set(RECORDED_RUNS.map(({ workflow }) => workflow))).toEqual(new Set(WORKFLOWS))
  })

  it('is what they do today: whatever was begun on an older version goes on on this one', async () => {
    expect(await misfits('sandbox.ts')).toEqual({})
  })

  it('does not fit a body whose steps have changed', async () => {
    expect(await misfits('../testing/changedSandbox.ts')).toMatchObject({
      'generateVideo-finished.json': 'DeterminismViolationError',
      'generateVideo-cancelled.json': 'DeterminismViolationError',
    })
  })
})
