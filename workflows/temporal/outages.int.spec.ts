import { spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import path from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { Client } from '@temporalio/client'
import { expect, it } from 'vitest'
import { eventually } from '#backend/testing/eventually.ts'
import { stopwatch } from '#backend/testing/stopwatch.ts'
import type { Activities } from '../engine/engine.port.ts'
import { calls, counts, looks, naps, turns, waits } from '../testing/contractWorkflows.ts'
import { describeOnTemporal } from '../testing/onTemporal.ts'

describeOnTemporal('an engine whose server, worker or version is replaced', (on) => {
  it('moves the activity of a killed process to another one within seconds', async () => {
    const worker = spawn(process.execPath, [
      path.resolve(import.meta.dirname, '../testing/workerProgram.ts'),
      on.server.address,
      on.folder,
    ])
    const started = new Promise((resolve) => worker.stdout.once('data', resolve))
    const input = { id: randomUUID(), activity: 'works' }
    await on.client.workflow.start(calls.type, { taskQueue: 'kinora-main', workflowId: input.id, args: [input] })
    await started
    const engine = on.open({ works: async () => 'done elsewhere' })
    worker.kill('SIGKILL')
    const took = stopwatch()
    expect(await engine.result(calls, input)).toEqual({ result: 'done elsewhere' })
    took.within(10_000)
  })

  it('resolves pending calls when the engine stops while the server is down', async () => {
    const engine = on.open({})
    await eventually(async () => expect(await engine.reachable()).toBe(true))
    await on.server.stop('SIGKILL')
    // These runs do not exist, so a signal that still arrives has no effect.
    const signals = Array.from({ length: 20 }, () => engine.signal(looks, { id: randomUUID() }, 'look'))
    const starts = Array.from({ length: 20 }, () => engine.start(turns, { id: randomUUID(), ms: 1 }))
    // By now the calls are being retried, at different times.
    await pause(1_000)
    const took = stopwatch()
    const stopping = engine.stop()
    await Promise.all([...signals, ...starts])
    took.within(1_000)
    await on.server.start()
    // An uncaught error from a late retry would fail the test run.
    await stopping
    await pause(1_000)
  })

  it('waits for a server that is not up yet, and recovers when the server comes back', async () => {
    const notes: string[] = []
    const note = (async (what: string) => void notes.push(what)) as Activities[string]
    let gated = 0
    const gate = async () => {
      gated++
      await pause(4_000)
    }
    await on.server.stop('SIGKILL')
    const engine = on.open({ note, gate })
    const [nap, gates] = [{ id: randomUUID(), as: 'nap', ms: 2_000 }, { id: randomUUID() }]
    const started = Promise.all([engine.start(counts, gates), engine.start(naps, nap)])
    await eventually(() => expect(on.warnings.join()).toContain('temporal not reachable'))
    expect(await engine.reachable()).toBe(false)
    await on.server.start()
    await started
    await eventually(() => expect([notes, gated]).toEqual([['nap before'], 1]))
    expect(await engine.reachable()).toBe(true)

    await on.server.stop('SIGKILL')
    expect(await engine.reachable()).toBe(false)
    await pause(3_000)
    await on.server.start()
    await eventually(async () => expect(await engine.reachable()).toBe(true))
    await engine.result(naps, nap)
    // A result that could not be delivered is lost, and the activity runs again.
    expect(new Set(notes)).toEqual(new Set(['nap before', 'nap after']))
    expect(notes.at(-1)).toBe('nap after')
    await engine.signal(counts, gates, 'turn')
    expect(await engine.result(counts, gates)).toEqual([true, false, false])
  })

  it('moves runs to a newer version, restarts those that do not fit it, and never rolls back by itself', async () => {
    const notes: string[] = []
    const note = (async (what: string) => void notes.push(what)) as Activities[string]
    const namespace = 'rollout'
    const older = on.open({ note }, { namespace })
    const [waiting, turning] = [
      { id: randomUUID(), value: 'it' },
      { id: randomUUID(), ms: 50_000 },
    ]
    await older.start(waits, waiting)
    await older.start(turns, turning)
    const workflows = new Client({ connection: on.connection, namespace }).workflow
    for (const { id } of [waiting, turning])
      await eventually(async () => expect((await workflows.getHandle(id).describe()).historyLength).toBeGreaterThan(4))

    const later = await on.bundleOf('changedContractSandbox.ts')
    const newer = on.open({ note }, { namespace, bundle: later })
    await eventually(async () => expect(await currentBuild(on.client, namespace)).toBe(later.buildId))
    await older.stop()
    const again = on.open({ note }, { namespace })
    await eventually(() => expect(on.warnings.join()).toContain('newer workflow version'))
    await again.stop()

    await newer.signal(turns, turning, 'turn')
    expect(await newer.result(turns, turning)).toBe(true)
    await newer.signal(waits, waiting, 'go')
    await eventually(() => expect(notes).toContain('later'))
    await newer.signal(waits, waiting, 'go')
    expect(await newer.result(waits, waiting)).toBe('later it')
  })

  it('returns to an older version when the newer one has no workers left', async () => {
    const note = (async () => {}) as Activities[string]
    const namespace = 'rollback'
    const older = on.open({ note }, { namespace })
    await older.start(waits, { id: randomUUID(), value: 'before' })
    const later = await on.bundleOf('changedContractSandbox.ts')
    const newer = on.open({ note }, { namespace, bundle: later })
    await eventually(async () => expect(await currentBuild(on.client, namespace)).toBe(later.buildId))
    await newer.stop()
    await older.stop()
    const again = on.open({ note }, { namespace, abandonedMs: 3_000 })
    const input = { id: randomUUID(), value: 'after' }
    await again.start(waits, input)
    await again.signal(waits, input, 'go')
    expect(await again.result(waits, input)).toBe('after')
  })
})

/** Returns the build id of the version that gets new runs. */
async function currentBuild(client: Client, namespace: string) {
  const deployment = { namespace, deploymentName: 'kinora' }
  const { workerDeploymentInfo } = await client.workflowService.describeWorkerDeployment(deployment)
  return workerDeploymentInfo?.routingConfig?.currentDeploymentVersion?.buildId
}
