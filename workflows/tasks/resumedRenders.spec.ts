import { setImmediate as turn } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { createOrigins } from '#backend/kernel/eventsourcing/createOrigins.ts'
import { createHandle } from '#backend/kernel/eventsourcing/handle.ts'
import { createMemoryEventStore } from '#backend/kernel/eventsourcing/testing/memoryEventStore.ts'
import type { VideoTaskOrder } from '#backend/tasks/events.ts'
import type { RenderState } from '#backend/tasks/videoProvider.port.ts'
import { videoTask } from '#backend/tasks/videoTask.decider.ts'
import { eventually } from '#backend/testing/eventually.ts'
import { POLICIES } from '../all.ts'
import { EmbeddedEngine } from '../engine/embeddedEngine.ts'
import { runLogTriggers } from '../engine/logTriggers.ts'
import { LyingProvider } from '../testing/lyingProvider.ts'
import { createSettleIfEnded } from './settleIfEnded.ts'
import { createTaskActivities } from './taskActivities.ts'
import { generationTrigger } from './taskTriggers.ts'

const store = createMemoryEventStore()
const handle = createHandle(store)
const provider = new LyingProvider('engine')
const at = new Date(0).toISOString()
const send = (taskId: string, command: Parameters<typeof videoTask.decide>[0]) =>
  handle(videoTask, taskId, command, { commandId: `${command.type} ${taskId}`, actor: 'system', correlationId: taskId })
const submit = (taskId: string, priority: number) =>
  send(taskId, {
    ...{ type: 'Submit', at },
    order: {
      ...{ taskId, userId: taskId, priority, firstFrame: null },
      routes: [{ provider: 'engine', model: 'm' }],
    } as unknown as VideoTaskOrder,
  })

it('a job in flight when its process is killed is polled by the next one, whoever has the slots', async () => {
  await submit('in flight', 4)
  await send('in flight', { type: 'RequestRender', attempt: 'of a killed process', provider: 'engine', at })
  await send('in flight', { type: 'AcceptRender', jobId: 'job in flight', at })
  await submit('first', 1)
  await submit('second', 1)
  const polled = new Set<string>()
  provider.stateOf = (jobId): RenderState => {
    polled.add(jobId)
    return { kind: 'queued' }
  }
  const nothing = async () => {}
  const activities = createTaskActivities({
    ...{ handle, findOrigin: createOrigins(store), providers: new Map([['engine', provider]]) },
    ...{ concurrentLimit: async () => 1, decrypt: async () => '', showProgress: nothing, signal: nothing },
    ...{
      clock: () => 0,
      delay: nothing,
      waitForCallback: () => turn(),
    },
  } as never)
  const engine = new EmbeddedEngine({
    ...{ activities, policies: POLICIES, slots: { render: 1 } },
    onError: () => {},
  })
  const halt = new AbortController()
  const items = ['first', 'second', 'in flight'].map((taskId) => ({ taskId, userId: taskId, priority: 1 }))
  const triggers = runLogTriggers({
    ...{ store, engine, signal: halt.signal, onError: () => {} },
    triggers: [
      generationTrigger(
        async () => ({ upTo: store.log.at(-1)!.position, items }),
        createSettleIfEnded(handle, activities),
      ),
    ],
  })
  await eventually(() => expect([...polled].toSorted()).toEqual(['engine first', 'job in flight']))
  // The other tasks keep waiting until the slot is free again.
  expect(provider.asked).toEqual(['first'])
  halt.abort()
  await engine.stop()
  await triggers
})
