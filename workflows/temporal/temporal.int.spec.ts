import { randomUUID } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { eventually } from '#backend/testing/eventually.ts'
import type { Activities } from '../engine/engine.port.ts'
import { calls, looks, naps } from '../testing/contractWorkflows.ts'
import { engineContract } from '../testing/engineContract.ts'
import { describeOnTemporal } from '../testing/onTemporal.ts'

describeOnTemporal('a real Temporal server', (on) => {
  engineContract('Temporal', { durable: true, minIntervalMs: 1_000, open: async (activities) => on.open(activities) })

  it('abandons a run that an operator cancels, without throwing into the body', async () => {
    const notes: string[] = []
    const engine = on.open({ note: (async (what: string) => void notes.push(what)) as Activities[string] })
    const id = randomUUID()
    await engine.start(naps, { id, as: 'nap', ms: 1_000 })
    await eventually(() => expect(notes).toEqual(['nap before']))
    await on.client.workflow.getHandle(id).cancel()
    await expect(engine.result(naps, { id })).rejects.toThrow('cancel')
    await pause(1_500)
    expect(notes).toEqual(['nap before'])
  })

  /** Returns how each activity of a run was called. */
  const callsOf = async (id: string) => {
    const { events } = await on.client.workflow.getHandle(id).fetchHistory()
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
    const engine = on.open({ short })
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
    const engine = on.open({ look: async () => ++looked < 20 })
    const id = randomUUID()
    await engine.start(looks, { id }, { priority: 2, owner: 'user' })
    const first = (await on.client.workflow.getHandle(id).describe()).runId
    for (let seen = 0; looked < 20; seen = looked) {
      await eventually(() => expect(looked).toBeGreaterThan(seen))
      await engine.signal(looks, { id }, 'look')
    }
    expect(await engine.result(looks, { id })).toBe('seen')
    const { runId, raw, historyLength } = await on.client.workflow.getHandle(id).describe()
    expect(runId).not.toBe(first)
    expect(historyLength).toBeLessThan(100)
    expect(raw.workflowExecutionInfo?.priority).toMatchObject({ priorityKey: 2, fairnessKey: 'user' })
  })
})
