import { spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { Client, Connection } from '@temporalio/client'
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest'
import type { Activities } from '../engine/engine.port.ts'
import { calls, contractPolicies, counts, looks, naps, turns, waits } from '../testing/contractWorkflows.ts'
import { engineContract } from '../testing/engineContract.ts'
import { findTemporal, startTemporalServer, type TemporalServer } from '../testing/temporalServer.ts'
import { type Bundle, workflowBundle } from './bundle.ts'
import { TemporalEngine } from './temporalEngine.ts'

const program = findTemporal()
const lacking = program ? '' : ' (skipped: no temporal program found, and pip could not install it)'
const within = { timeout: 30_000, interval: 50 }

describe.skipIf(!program)(`a real Temporal server${lacking}`, () => {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'kinora-bundle-'))
  const bundleOf = (entry: string) => workflowBundle(folder, path.resolve(import.meta.dirname, '../testing', entry))
  let server: TemporalServer
  let connection: Connection
  let client: Client
  let bundle: Bundle
  let warnings: string[] = []
  const opened: TemporalEngine[] = []
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
    warnings = []
  })

  const open = (activities: Activities, more: { namespace?: string; bundle?: Bundle } = {}) => {
    const engine = new TemporalEngine({
      address: server.address,
      namespace: more.namespace ?? 'default',
      bundle: async () => more.bundle ?? bundle,
      activities,
      policies: contractPolicies,
      slots: { main: 20, narrow: 1 },
      onError: () => {},
      log: { info: () => {}, warn: (_, message) => void warnings.push(message) },
    })
    opened.push(engine)
    return engine
  }

  engineContract('Temporal', { durable: true, minIntervalMs: 1_000, open: async (activities) => open(activities) })

  it('abandons a run that an operator cancels, without throwing into the body', async () => {
    const notes: string[] = []
    const engine = open({ note: (async (what: string) => void notes.push(what)) as Activities[string] })
    const id = randomUUID()
    await engine.start(naps, { id, as: 'nap', ms: 1_000 })
    await vi.waitFor(() => expect(notes).toEqual(['nap before']), within)
    await client.workflow.getHandle(id).cancel()
    await expect(engine.result(naps, { id })).rejects.toThrow('cancel')
    await pause(1_500)
    expect(notes).toEqual(['nap before'])
  })

  /** Returns how each activity of a run was called. */
  const callsOf = async (id: string) => {
    const { events } = await client.workflow.getHandle(id).fetchHistory()
    return (events ?? []).flatMap(
      ({ markerRecordedEventAttributes: local, activityTaskScheduledEventAttributes: remote }) =>
        local ? 'local' : remote ? 'remote' : [],
    )
  }

  it('runs a short activity within the workflow task, and remotely once it has failed three times', async () => {
    let attempts = 0
    let failures = 0
    const short = async () => {
      if (++attempts <= failures) throw new Error('not yet')
      return attempts
    }
    const engine = open({ short })
    for (const [failing, kinds] of [
      [0, ['local']],
      [5, ['local', 'remote']],
    ] as const) {
      attempts = 0
      failures = failing
      const input = { id: randomUUID(), activity: 'short' }
      await engine.start(calls, input)
      expect(await engine.result(calls, input)).toEqual({ result: failing + 1 })
      expect(await callsOf(input.id)).toEqual(kinds)
    }
  })

  it('continues a run with a long history as new, with the same input', async () => {
    let looked = 0
    const engine = open({ look: async () => ++looked < 20 })
    const id = randomUUID()
    await engine.start(looks, { id }, { priority: 2, owner: 'user' })
    const first = (await client.workflow.getHandle(id).describe()).runId
    for (let seen = 0; looked < 20; seen = looked) {
      await vi.waitFor(() => expect(looked).toBeGreaterThan(seen), within)
      await engine.signal(looks, { id }, 'look')
    }
    expect(await engine.result(looks, { id })).toBe('seen')
    const { runId, raw, historyLength } = await client.workflow.getHandle(id).describe()
    expect(runId).not.toBe(first)
    expect(historyLength).toBeLessThan(100)
    expect(raw.workflowExecutionInfo?.priority).toMatchObject({ priorityKey: 2, fairnessKey: 'user' })
  })

  it('moves the activity of a killed process to another one within seconds', async () => {
    const worker = spawn(process.execPath, [
      path.resolve(import.meta.dirname, '../testing/workerProgram.ts'),
      server.address,
      folder,
    ])
    const started = new Promise((resolve) => worker.stdout.once('data', resolve))
    const input = { id: randomUUID(), activity: 'works' }
    await client.workflow.start(calls.type, { taskQueue: 'kinora-main', workflowId: input.id, args: [input] })
    await started
    const engine = open({ works: async () => 'done elsewhere' })
    worker.kill('SIGKILL')
    const killedAt = Date.now()
    expect(await engine.result(calls, input)).toEqual({ result: 'done elsewhere' })
    expect(Date.now() - killedAt).toBeLessThan(10_000)
  })

  it('resolves pending calls when the engine stops while the server is down', async () => {
    const engine = open({})
    await vi.waitFor(async () => expect(await engine.reachable()).toBe(true), within)
    await server.stop('SIGKILL')
    // These runs do not exist, so a signal that still arrives has no effect.
    const signals = Array.from({ length: 20 }, () => engine.signal(looks, { id: randomUUID() }, 'look'))
    const starts = Array.from({ length: 20 }, () => engine.start(turns, { id: randomUUID(), ms: 1 }))
    // By now the calls are being retried, at different times.
    await pause(1_000)
    const stoppedAt = performance.now()
    const stopping = engine.stop()
    await Promise.all([...signals, ...starts])
    expect(performance.now() - stoppedAt).toBeLessThan(1_000)
    await server.start()
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
    await server.stop('SIGKILL')
    const engine = open({ note, gate })
    const [nap, gates] = [{ id: randomUUID(), as: 'nap', ms: 2_000 }, { id: randomUUID() }]
    const started = Promise.all([engine.start(counts, gates), engine.start(naps, nap)])
    await vi.waitFor(() => expect(warnings.join()).toContain('temporal not reachable'), within)
    expect(await engine.reachable()).toBe(false)
    await server.start()
    await started
    await vi.waitFor(() => expect([notes, gated]).toEqual([['nap before'], 1]), within)
    expect(await engine.reachable()).toBe(true)

    await server.stop('SIGKILL')
    expect(await engine.reachable()).toBe(false)
    await pause(3_000)
    await server.start()
    await vi.waitFor(async () => expect(await engine.reachable()).toBe(true), within)
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
    const older = open({ note }, { namespace })
    const [waiting, turning] = [
      { id: randomUUID(), value: 'it' },
      { id: randomUUID(), ms: 50_000 },
    ]
    await older.start(waits, waiting)
    await older.start(turns, turning)
    const workflows = new Client({ connection, namespace }).workflow
    for (const { id } of [waiting, turning])
      await vi.waitFor(
        async () => expect((await workflows.getHandle(id).describe()).historyLength).toBeGreaterThan(4),
        within,
      )

    const later = await bundleOf('changedContractSandbox.ts')
    const newer = open({ note }, { namespace, bundle: later })
    const isCurrent = async () => {
      const deployment = { namespace, deploymentName: 'kinora' }
      const { workerDeploymentInfo } = await client.workflowService.describeWorkerDeployment(deployment)
      expect(workerDeploymentInfo?.routingConfig?.currentDeploymentVersion?.buildId).toBe(later.buildId)
    }
    await vi.waitFor(isCurrent, within)
    await older.stop()
    const again = open({ note }, { namespace })
    await vi.waitFor(() => expect(warnings.join()).toContain('newer workflow version'), within)
    await again.stop()

    await newer.signal(turns, turning, 'turn')
    expect(await newer.result(turns, turning)).toBe(true)
    await newer.signal(waits, waiting, 'go')
    await vi.waitFor(() => expect(notes).toContain('later'), within)
    await newer.signal(waits, waiting, 'go')
    expect(await newer.result(waits, waiting)).toBe('later it')
  })
})
