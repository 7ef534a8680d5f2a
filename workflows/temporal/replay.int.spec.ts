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

/** Replays histories recorded on a real server (`npm run histories`). Returns the errors by run. */
async function replayErrors(entry: string): Promise<Record<string, string>> {
  const bundle = await workflowBundle(folder, path.resolve(import.meta.dirname, entry))
  const recorded = RECORDED_RUNS.map((run) => ({ workflowId: fileOf(run), history: readHistory(run) }))
  const errors: Record<string, string> = {}
  const replays = Worker.runReplayHistories({ workflowBundle: bundle }, recorded)
  for await (const { workflowId, error } of replays) if (error) errors[workflowId] = error.name
  return errors
}

describe('recorded workflow histories', () => {
  it('include a run of each workflow', () => {
    expect(new Set(RECORDED_RUNS.map(({ workflow }) => workflow))).toEqual(new Set(WORKFLOWS))
  })

  it('replay on the current workflows, so runs of older versions continue', async () => {
    expect(await replayErrors('sandbox.ts')).toEqual({})
  })

  it('fail on a body whose steps have changed', async () => {
    expect(await replayErrors('../testing/changedSandbox.ts')).toMatchObject({
      'generateVideo-finished.json': 'DeterminismViolationError',
      'generateVideo-cancelled.json': 'DeterminismViolationError',
    })
  })
})
