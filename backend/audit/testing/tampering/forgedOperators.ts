import type { PasskeySignature } from '../../../desk/events.ts'
import { approvedContent, askedContent } from '../../../desk/signedTexts.contract.ts'
import { canonicalJson, derivedId } from '../../../kernel/eventsourcing/pure/eventHash.ts'
import { BOOTSTRAP } from '../../../operators/events.ts'
import { createPasskeyDouble } from '../../../operators/testing/passkeyDouble.ts'
import { LEDGER } from '../seedLedger.ts'
import { at, forge, sql, type Tampering } from './tampering.ts'

const { buyer } = LEDGER
const [key, stranger] = [createPasskeyDouble('ada-key'), createPasskeyDouble('other-key')]
const roll = 'operatorRoll-main'
const bob = derivedId('operator', 'bob')
const actionId = derivedId('action', 'signed')
const stream = `deskAction-${actionId}`
const BEFORE = '2026-01-10T13:00:00.000Z'
const TIME = '2026-01-10T14:00:00.000Z'
const by = (name: string) => ({ actor: `operator:${name}` })
const named = (operatorId = BOOTSTRAP) => (operatorId === bob ? 'bob' : 'ada')

const onRoll = (type: string, data: object, actor = 'ada') => ({
  ...{ stream: roll, type, meta: by(actor) },
  data: { operatorId: BOOTSTRAP, at: BEFORE, ...data },
})
const keyOf = (operatorId = BOOTSTRAP, { credentialId, publicKey } = key) =>
  onRoll('OperatorKeyAdded', { operatorId, name: named(operatorId), credentialId, publicKey })
const bobIs = (role: string) => [
  onRoll('OperatorInvited', { operatorId: bob, name: 'bob', role, by: BOOTSTRAP }),
  onRoll('OperatorJoined', { operatorId: bob }, 'bob'),
]
const without = (operatorId: string) =>
  onRoll('OperatorRemoved', { operatorId, name: named(operatorId), by: BOOTSTRAP })

/** The order of an action without an effect on credits, which needs nothing else in the log. */
const orderOf = (operatorId = BOOTSTRAP, more: object = {}) => ({
  ...{ actionId, operator: named(operatorId), operatorId, kind: 'grant' as const },
  ...{ subject: buyer, userId: buyer, amount: 100, reason: 'a gift', ...more },
})
const asked = (signature?: PasskeySignature, operatorId = BOOTSTRAP, more: object = {}) => ({
  ...{ stream, type: 'ActionAsked', meta: by(named(operatorId)) },
  data: { ...orderOf(operatorId), at: TIME, ...(signature && { signature }), ...more },
})
const approved = (signature?: PasskeySignature) => ({
  ...{ stream, type: 'ActionApproved', meta: by('ada') },
  data: { actionId, at: TIME, operator: 'ada', operatorId: BOOTSTRAP, ...(signature && { signature }) },
})
const askedText = (order: Parameters<typeof askedContent>[0]) => canonicalJson(askedContent(order))
const own = key.sign(askedText(orderOf()))
const all =
  (...events: readonly Parameters<typeof forge>[1][]) =>
  async (pool: Parameters<typeof forge>[0]) => {
    for (const event of events) await forge(pool, event)
  }
const onAction = (wrong: RegExp, revision = 0) => [{ check: 'desk', stream, revision, wrong }]

/** Orders and decisions that their operators did not sign, or may not have made. */
export const OPERATORS: readonly Tampering[] = [
  {
    what: 'an action without a signature, once its operator has a passkey',
    does: all(keyOf(), asked()),
    names: onAction(/No passkey signed it, although the operator ada has one/),
  },
  {
    what: 'an action of before an operator’s first passkey that is stored later',
    does: all(keyOf(), asked(undefined, BOOTSTRAP, { at: '2026-01-10T12:00:00.000Z' })),
    names: onAction(/No passkey signed it/),
  },
  {
    what: 'a signature of another passkey in the name of an operator’s',
    does: all(keyOf(), asked({ ...stranger.sign(askedText(orderOf())), credentialId: key.credentialId })),
    names: onAction(/Its signature is not one of what it says/),
  },
  {
    what: 'a signature of a passkey that the log does not have',
    does: all(keyOf(), asked(stranger.sign(askedText(orderOf())))),
    names: onAction(/with a passkey that is not one of the operator ada/),
  },
  {
    what: 'the signature of another action',
    does: all(keyOf(), asked(key.sign(askedText({ ...orderOf(), actionId: derivedId('action', 'earlier') })))),
    names: onAction(/Its signature is not one of what it says/),
  },
  {
    what: 'the signature of an approval as that of an order',
    does: all(keyOf(), asked(key.sign(canonicalJson(approvedContent(orderOf(), orderOf()))))),
    names: onAction(/Its signature is not one of what it says/),
  },
  {
    what: 'a signature without a check of its user',
    does: all(keyOf(), asked(key.sign(askedText(orderOf()), { flags: 1 }))),
    names: onAction(/Its signature is not one of what it says/),
  },
  {
    what: 'a signed action whose amount is edited in the log with its hashes',
    does: all(keyOf(), asked(own, BOOTSTRAP, { amount: 90_000 })),
    names: onAction(/Its signature is not one of what it says/),
  },
  {
    what: 'a signed action that is edited in the log',
    does: async (pool) => {
      await all(keyOf(), asked(own), approved(own))(pool)
      await sql(`update event set data = data || '{"reason": "a bribe"}' ${at(stream, 0)}`)(pool)
    },
    names: [...onAction(/Its signature is not one of what it says/), { check: 'chain', stream, wrong: /was changed/ }],
  },
  {
    what: 'an action that is signed with a passkey which was removed',
    does: all(keyOf(), onRoll('OperatorKeyRemoved', { credentialId: key.credentialId }), asked(own)),
    names: onAction(/with a passkey that was removed before/),
  },
  {
    what: 'an action of a removed operator',
    does: all(...bobIs('owner'), without(bob), asked(undefined, bob)),
    names: onAction(/The operator bob was removed before/),
  },
  {
    what: 'an action of a removed operator of the environment',
    does: all(...bobIs('owner'), without(BOOTSTRAP), asked()),
    names: onAction(/The operator ada was removed before/),
  },
  {
    what: 'an action of an operator who never joined',
    does: all(bobIs('support')[0]!, asked(undefined, bob)),
    names: onAction(/The operator bob had not joined/),
  },
  {
    what: 'an action of a viewer',
    does: all(...bobIs('viewer'), asked(undefined, bob)),
    names: onAction(/The operator bob was a viewer/),
  },
  {
    what: 'an action of an operator whom the log does not have',
    does: all(asked(undefined, bob)),
    names: onAction(/The log has no operator bob/),
  },
  {
    what: 'an approval without a signature, once its operator has a passkey',
    does: all(keyOf(), ...bobIs('support'), asked(undefined, bob, { needsApproval: true }), approved()),
    names: onAction(/No passkey signed it, although the operator ada/, 1),
  },
  {
    what: 'an owner whom a supporter invited',
    does: all(
      ...bobIs('support'),
      onRoll('OperatorInvited', { operatorId: derivedId('eve'), name: 'eve', role: 'owner', by: bob }, 'bob'),
    ),
    names: [{ check: 'operator', stream: roll, revision: 2, wrong: /who was no owner/ }],
  },
  {
    what: 'a passkey of one operator that another one takes',
    does: all(keyOf(), ...bobIs('support'), keyOf(bob)),
    names: [{ check: 'operator', stream: roll, revision: 3, wrong: /Another operator has this passkey/ }],
  },
]
