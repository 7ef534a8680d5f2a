import { taskEvents } from '#projections/testing/taskEvents.ts'
import { derivedId } from '../../../kernel/eventsourcing/pure/eventHash.ts'
import { LEDGER } from '../seedLedger.ts'
import { account, at, delivered, deliveredToOther, forge, others, sql, type Tampering, waiting } from './tampering.ts'

const { other } = LEDGER

/** Changed events of tasks, and of the charges that they cause. */
export const DELIVERIES: readonly Tampering[] = [
  {
    what: 'all successes rewritten as failures',
    does: sql(`update event set type = 'VideoTaskFailed',
      data = data - 'file' || '{"code": "render_timed_out", "detail": "", "jobId": null}' where type = 'VideoTaskSucceeded'`),
    names: [delivered, deliveredToOther].flatMap((stream) => [
      { check: 'delivery', stream, revision: 2, wrong: /The task failed, but its credits were captured/ },
      { check: 'chain', stream, revision: 2, wrong: /chain_head remembers another hash/ },
    ]),
  },
  {
    what: 'a deleted success',
    does: sql(`delete from event ${at(delivered, 2)}`),
    names: [
      { check: 'delivery', stream: account, revision: 3, wrong: /captured before the task ended/ },
      { check: 'chain', stream: delivered, revision: 2, wrong: /chain_head remembers this event/ },
    ],
  },
  {
    what: 'the hash of a delivered file',
    does: sql(`update event set data = jsonb_set(data, '{file,sha256}', '"${'0'.repeat(64)}"') ${at(delivered, 2)}`),
    names: [{ check: 'chain', stream: delivered, revision: 2, wrong: /chain_head remembers another hash/ }],
  },
  {
    what: 'a hold of another amount, and the order with it',
    does: async (pool) => {
      await sql(`update event set data = jsonb_set(data, '{parts,0,amount}', '3') ${at(account, 2)}`)(pool)
      await sql(`update event set data = jsonb_set(data, '{credits}', '3') ${at(delivered, 0)}`)(pool)
    },
    names: [
      { check: 'delivery', stream: account, revision: 2, wrong: /It holds 3 credits; .* costs 30/ },
      { check: 'delivery', stream: delivered, revision: 0, wrong: /It names 3 credits; .* costs 30/ },
      { check: 'chain', stream: account, revision: 2, wrong: /was changed/ },
      { check: 'chain', stream: delivered, revision: 0, wrong: /was changed/ },
    ],
  },
  {
    what: 'a cheaper price',
    does: sql(`update event set data = jsonb_set(data, '{shape,credits}', '10') ${at(delivered, 0)}`),
    names: [{ check: 'delivery', stream: account, revision: 2, wrong: /It holds 30 credits; .* costs 10/ }],
  },
  {
    what: 'another owner of a task',
    does: sql(`update event set data = jsonb_set(data, '{userId}', '"${other}"') ${at(delivered, 0)}`),
    names: [
      {
        check: 'delivery',
        stream: delivered,
        revision: 0,
        wrong: /credits were held for it in the account of another user/,
      },
      { check: 'chain', stream: delivered, revision: 0, wrong: /was changed/ },
    ],
  },
  {
    what: 'another owner of a delivery',
    does: sql(`update event set data = jsonb_set(data, '{userId}', '"${other}"') ${at(delivered, 2)}`),
    names: [{ check: 'delivery', stream: delivered, revision: 2, wrong: /names another user/ }],
  },
  {
    what: 'a video for which credits were released before it was ordered, well chained',
    does: async (pool) => {
      const taskId = '00000000-0000-7000-8000-000000000015'
      const { submitted, succeeded } = taskEvents(taskId, other)
      const about = { userId: other, holdId: taskId, at: '2026-01-10T13:00:00.000Z' }
      const parts = [{ lotId: derivedId('free', other), amount: 30 }]
      const undone = { ...about, parts, reason: 'not delivered', renewed: null }
      await forge(pool, { stream: others, type: 'CreditsHeld', data: { ...about, parts } })
      await forge(pool, { stream: others, type: 'CreditsReleased', data: undone })
      for (const event of [submitted, succeeded]) await forge(pool, { stream: `videoTask-${taskId}`, ...event })
    },
    names: [
      { check: 'delivery', revision: 1, wrong: /succeeded, but its credits were released before it was ordered/ },
    ],
  },
  {
    what: 'a hold cut out',
    does: sql(`delete from event ${at(account, 8)}`),
    names: [
      { check: 'delivery', stream: waiting, revision: 0, wrong: /No credits were held for it/ },
      { check: 'chain', stream: account, revision: 8, wrong: /chain_head remembers this event/ },
    ],
  },
]
