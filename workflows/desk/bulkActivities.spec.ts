import { expect, it } from 'vitest'
import { deskAction } from '#backend/desk/deskAction.decider.ts'
import { createHandle } from '#backend/kernel/eventsourcing/handle.ts'
import { createMemoryEventStore } from '#backend/kernel/eventsourcing/testing/memoryEventStore.ts'
import { bulk } from '#backend/triage/bulk.decider.ts'
import { createBulkActivities } from './bulkActivities.ts'

const at = '2026-11-29T17:00:00.000Z'
const context = { commandId: 'c', actor: 'operator:olga', correlationId: 'b' }

it('a bulk that is stopped reaches no further video, and a repeated part changes nothing', async () => {
  const store = createMemoryEventStore()
  const handle = createHandle(store)
  const items = Array.from({ length: 12 }, (_, n) => ({ taskId: `t${n}`, userId: 'u', credits: 30 }))
  const order = { operator: 'olga', kind: 'retry_task', reason: 'an outage', items } as const
  await handle(bulk, 'b', { type: 'AskBulk', bulkId: 'b', at, ...order }, context)
  let asked = 0
  const { runBulkPart } = createBulkActivities({
    handle,
    calendar: () => Date.parse(at),
    // Carries out what waits, and stops the bulk at its third video.
    async delay() {
      const open = store.log.findLast(({ type }) => type === 'ActionAsked')!.data as { actionId: string }
      const by = { commandId: `d${asked++}`, actor: 'operator:olga', correlationId: 'b' }
      await handle(deskAction, open.actionId, { type: 'FinishAction', actionId: open.actionId, at }, by)
      if (asked === 3) await handle(bulk, 'b', { type: 'StopBulk', bulkId: 'b', operator: 'olga', at }, by)
    },
  })
  expect(await runBulkPart({ bulkId: 'b', from: 0 })).toBeNull()
  expect(await runBulkPart({ bulkId: 'b', from: 0 })).toBeNull()
  expect(store.log.filter(({ type }) => type === 'ActionAsked')).toHaveLength(3)
  expect(store.log.filter(({ type }) => type === 'BulkEnded')).toMatchObject([{ data: { done: 3, failed: 0 } }])
})
