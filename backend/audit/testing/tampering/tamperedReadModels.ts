import { LEDGER } from '../seedLedger.ts'
import { account, delivered, others, sql, subscription, type Tampering, waiting } from './tampering.ts'

const { buyer } = LEDGER

/** Changed rows and checkpoints of read models. */
export const READ_MODELS: readonly Tampering[] = [
  {
    what: 'a balance in the read model',
    does: sql(`update credit_balance set lots = jsonb_set(lots, '{0,left}', '600') where id = '${buyer}'`),
    names: [{ check: 'read model', stream: account, revision: null, wrong: /credit_balance: lots is/ }],
  },
  {
    what: 'an entry of the history',
    does: sql(`update credit_entry set amount = -3 where id = '${LEDGER.finished}'`),
    names: [{ check: 'read model', stream: account, revision: 2, wrong: /amount is -3, by the log -30/ }],
  },
  {
    what: 'a time in the history',
    does: sql(
      `update credit_entry set created_at = created_at + interval '1 microsecond' where id = '${LEDGER.finished}'`,
    ),
    names: [{ check: 'read model', stream: account, revision: 2, wrong: /created_at is/ }],
  },
  {
    what: 'a deleted row',
    does: sql(`delete from credit_entry where id = '${LEDGER.finished}'`),
    names: [{ check: 'read model', stream: account, revision: 2, wrong: /is missing/ }],
  },
  {
    what: 'a row that was added',
    does: sql(`insert into invoice select '${LEDGER.open}', user_id, 'SALE-2', agreement_id, tier, amount_cents, 0, currency,
      credits, period_start, period_end from invoice`),
    names: [{ check: 'read model', stream: subscription, revision: null, wrong: /follows from no event/ }],
  },
  {
    what: 'a balance, with the checkpoint moved back to silence the comparison',
    does: async (pool) => {
      await pool.query(`update credit_balance set lots = jsonb_set(lots, '{0,left}', '600') where id = '${buyer}'`)
      await pool.query(
        `update projection_checkpoint set position = null, last_event = null where name = 'creditBalances'`,
      )
    },
    names: [{ check: 'read model', stream: account, revision: 0, wrong: /checkpoint of credit_balance is before/ }],
  },
  {
    what: 'a checkpoint moved back over a credit event',
    does: sql(`update projection_checkpoint set position = lpad((position::numeric - 4)::text, length(position), '0')
      where name = 'creditBalances'`),
    names: [
      { check: 'read model', stream: account, revision: 8, wrong: /checkpoint of credit_balance is before/ },
      { check: 'read model', stream: account, revision: 8, wrong: /names this event, which is not the last one/ },
    ],
  },
  {
    what: 'a deleted checkpoint',
    does: sql(`delete from projection_checkpoint where name = 'creditBalances'`),
    names: [{ check: 'read model', stream: null, wrong: /checkpoint of credit_balance is missing/ }],
  },
  {
    what: 'a checkpoint that names another event',
    does: sql(`update projection_checkpoint set last_event = jsonb_set(last_event, '{id}', '"${LEDGER.open}"')
      where name = 'invoices'`),
    names: [{ check: 'read model', stream: subscription, wrong: /checkpoint of invoice names this event/ }],
  },
  {
    what: 'an added hold in the work list',
    does: sql(`insert into open_hold select '${LEDGER.failed}', user_id, held_at from open_hold`),
    names: [{ check: 'read model', stream: account, revision: null, wrong: /open_hold: it follows from no event/ }],
  },
  {
    what: 'a tier in the current subscriptions',
    does: sql(`update current_subscription set tier = 'ultimate'`),
    names: [{ check: 'read model', stream: subscription, wrong: /current_subscription: tier is "ultimate"/ }],
  },
  {
    what: 'a recorded head that was deleted',
    does: sql(`delete from chain_head where stream = '${others}'`),
    names: [{ check: 'read model', stream: others, wrong: /chain_head is missing/ }],
  },
  {
    what: 'the charge of a video in the list of videos',
    does: sql(`update video_task set credits_consumed = 0 where id = '${LEDGER.finished}'`),
    names: [{ check: 'read model', stream: delivered, wrong: /video_task: credits_consumed is 0, by the log 30/ }],
  },
  {
    what: 'a delivered video that is listed as failed',
    does: sql(`update task_outcome set error_code = 'render_timed_out' where id = '${LEDGER.finished}'`),
    names: [{ check: 'read model', stream: delivered, wrong: /task_outcome: error_code is/ }],
  },
  {
    what: 'a task that was removed from the work list',
    does: sql(`delete from open_task where id = '${LEDGER.open}'`),
    names: [{ check: 'read model', stream: waiting, wrong: /open_task is missing/ }],
  },
  {
    what: 'a late render that never was one',
    does: sql(`insert into late_render select id, user_id from video_task where id = '${LEDGER.finished}'`),
    names: [{ check: 'read model', stream: delivered, wrong: /late_render: it follows from no event/ }],
  },
  {
    what: 'a checkpoint of the videos moved back',
    does: sql(`update projection_checkpoint set position = null, last_event = null where name = 'videoTasks'`),
    names: [{ check: 'read model', stream: delivered, revision: 0, wrong: /checkpoint of video_task is before/ }],
  },
]
