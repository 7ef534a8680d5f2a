import { derivedId } from '../../../kernel/eventsourcing/pure/eventHash.ts'
import { LEDGER } from '../seedLedger.ts'
import { account, at, forge, grant, sql, type Tampering } from './tampering.ts'

const { buyer, other, sale } = LEDGER
const TIME = '2026-01-10T13:00:00.000Z'
const BY_ADA = { actor: 'operator:ada' }
const BY_BOB = { actor: 'operator:bob' }
const actionId = derivedId('action', 'forged')
const stream = `deskAction-${actionId}`

const event = (type: string, data: object = {}, meta: object = BY_ADA) => ({
  ...{ stream, type, meta },
  data: { actionId, at: TIME, ...data },
})
const order = { operator: 'ada', kind: 'grant', subject: buyer, userId: buyer, amount: 100, reason: 'a gift' }
const asked = (more: object = {}) => event('ActionAsked', { ...order, ...more })
const approved = (operator: string) => event('ActionApproved', { operator }, { actor: `operator:${operator}` })
const done = (more: object = {}) => event('ActionDone', more)
const gift = (userId = buyer, more: object = {}, meta: object = BY_ADA) => ({
  ...grant(userId, `adjustment-${actionId}`, 'adjustment', { reason: 'a gift', action: actionId, ...more }),
  meta,
})
const all =
  (...events: readonly Parameters<typeof forge>[1][]) =>
  async (pool: Parameters<typeof forge>[0]) => {
    for (const event of events) await forge(pool, event)
  }
const onAccount = (wrong: RegExp, revision = 9) => [{ check: 'grant', stream: account, revision, wrong }]
const onAction = (wrong: RegExp, revision = 0) => [{ check: 'desk', stream, revision, wrong }]

/** Tampering with operators' actions, and with what they ordered. */
export const DESK: readonly Tampering[] = [
  {
    what: 'a grant that names an action that was not asked for',
    does: all(gift()),
    names: onAccount(/No operator asked for the action/),
  },
  {
    what: 'a grant without a signature or an action, once there are actions',
    does: all(asked(), { ...grant(buyer, 'adjustment-x', 'adjustment', { reason: 'a gift' }), meta: BY_ADA }),
    names: onAccount(/No operator signed it/),
  },
  {
    what: 'a grant of more credits than its action ordered',
    does: all(asked(), gift(buyer, { amount: 9_000 })),
    names: onAccount(/moves 9000 credits; 100 were ordered/),
  },
  {
    what: 'a grant to another user than its action names',
    does: all(asked({ subject: other, userId: other }), gift()),
    names: onAccount(/ordered something else/),
  },
  {
    what: 'a grant by another operator than the one who ordered it',
    does: all(asked(), gift(buyer, {}, BY_BOB)),
    names: onAccount(/was ordered by ada, not by "operator:bob"/),
  },
  {
    what: 'a grant with another reason than its action',
    does: all(asked(), gift(buyer, { reason: 'a bribe' })),
    names: onAccount(/Its reason is not the one of the action/),
  },
  {
    what: 'a second grant of one action',
    does: all(asked(), gift(), gift(buyer, { lotId: `adjustment-${actionId}` })),
    names: onAccount(/was over before/, 10),
  },
  {
    what: 'a grant whose action was not approved',
    does: all(asked({ needsApproval: true }), gift()),
    names: onAccount(/was not approved/),
  },
  {
    what: 'an action that its own operator approved',
    does: all(asked({ needsApproval: true }), approved('ada'), gift(), done()),
    names: onAction(/approved an action of their own/, 1),
  },
  {
    what: 'an action that was carried out without an approval',
    does: all(asked({ needsApproval: true }), done()),
    names: onAction(/carried out without an approval/, 1),
  },
  {
    what: 'a finished action whose credits did not move',
    does: all(asked(), done()),
    names: onAction(/is done, but its 100 credits did not move/),
  },
  {
    what: 'a finished refund that was not reported',
    does: all(asked({ kind: 'refund', subject: sale, amount: 500, currency: 'USD' }), done({ reversalId: 'R-1' })),
    names: onAction(/is done, but no refund of 500 cents/),
  },
  {
    what: 'an action that was asked for in another operator’s name',
    does: all({ ...asked(), meta: BY_BOB }),
    names: onAction(/asked for by "operator:bob", not by the operator ada/),
  },
  {
    what: 'an action whose end is edited in the log',
    does: async (pool) => {
      await all(asked(), gift(), done())(pool)
      await sql(`update event set data = data || '{"amount": 1}' ${at(stream, 0)}`)(pool)
    },
    names: [{ check: 'chain', stream, revision: 0, wrong: /it was changed/ }],
  },
]
