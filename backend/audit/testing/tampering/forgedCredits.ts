import { derivedId } from '../../../kernel/eventsourcing/pure/eventHash.ts'
import { LEDGER } from '../seedLedger.ts'
import { account, at, forge, grant, others, subscription, type Tampering } from './tampering.ts'

const { buyer, other, sale } = LEDGER
const BY_ADA = { actor: 'operator:ada' }
const gift = (lotId: string, more: object) => grant(buyer, lotId, 'adjustment', { reason: 'a gift', ...more })

const forfeiture = (userId: string, lotId: string) => ({
  stream: `creditAccount-${userId}`,
  type: 'CreditLotClosed',
  data: { userId, lotId, amount: 30, reason: 'subscription_ended', at: '2026-01-10T13:00:00.000Z' },
})

const pack = (type: 'PackRequested' | 'PackPaid', more: object) => {
  const order = { agreementId: 'O-1', pack: 'small', amountCents: 499, currency: 'USD' }
  return { stream: subscription, type, data: { userId: buyer, ...order, at: new Date().toISOString(), ...more } }
}

const codeId = derivedId('code', 'forged')
const code = (type: 'CodeIssued' | 'CodeRedeemed' | 'CodeVoided', more: object = {}) => ({
  stream: `code-${codeId}`,
  type,
  data: { codeId, at: '2026-01-10T13:00:00.000Z', ...more },
})
const issued = code('CodeIssued', {
  ...{ batchId: codeId, label: 'Fair', hint: 'V3ZD', issuedBy: 'ada' },
  ...{ credits: 100, uses: 1, audience: 'all', expiresAt: null },
})
const redeemed = (userId: string, more: object = {}) => code('CodeRedeemed', { userId, credits: 100, ...more })
const ofCode = (userId: string, more: object = {}) =>
  grant(userId, `code-${codeId}-${userId}`, 'code', { reference: codeId, ...more })
const forgeAll =
  (...events: readonly Parameters<typeof forge>[1][]) =>
  async (pool: Parameters<typeof forge>[0]) => {
    for (const event of events) await forge(pool, event)
  }

/** Events about credits that were appended, most with a correct chain. */
export const CREDITS: readonly Tampering[] = [
  {
    what: 'a forged event at the end of a stream',
    does: (pool) =>
      forge(pool, {
        ...grant(buyer, 'x', 'adjustment', { reason: 'x' }),
        meta: { actor: 'operator:eve', previousHash: 'f'.repeat(64) },
      }),
    names: [{ check: 'chain', stream: account, revision: 9, wrong: /does not carry the hash of the event before/ }],
  },
  {
    what: 'a doubled free grant, well chained',
    does: (pool) => forge(pool, grant(other, 'again', 'free')),
    names: [{ check: 'grant', stream: others, revision: 3, wrong: /granted before/ }],
  },
  {
    what: 'a doubled grant of a sale, well chained',
    does: (pool) => forge(pool, grant(buyer, `sale-${sale}`, 'subscription', { reference: sale })),
    names: [
      { check: 'grant', stream: account, revision: 9, wrong: /sale SALE-1 was granted before/ },
      { check: 'postings', stream: account, revision: 9, wrong: /lot sale-SALE-1 was granted before/ },
    ],
  },
  {
    what: 'a grant without a sale, well chained',
    does: (pool) => forge(pool, grant(buyer, 'sale-NONE', 'subscription', { reference: 'NONE' })),
    names: [{ check: 'grant', stream: account, revision: 9, wrong: /No sale NONE/ }],
  },
  {
    what: "a grant for another user's sale, well chained",
    does: (pool) => forge(pool, grant(other, `sale-${sale}`, 'subscription', { reference: sale })),
    names: [{ check: 'grant', stream: others, revision: 3, wrong: /No sale SALE-1 of this user/ }],
  },
  {
    what: 'an adjustment without an operator, well chained',
    does: (pool) => forge(pool, grant(buyer, 'gift', 'adjustment', { reason: 'a gift' })),
    names: [{ check: 'grant', stream: account, revision: 9, wrong: /who is not an operator/ }],
  },
  {
    what: 'a grant that an operator did not sign, well chained',
    does: (pool) => forge(pool, { ...gift('gift', {}), meta: BY_ADA }),
    names: [
      { check: 'grant', stream: account, revision: 9, wrong: /No operator signed it, although .* are signed since/ },
    ],
  },
  {
    what: 'a grant with the signature of another one, well chained',
    does: async (pool) => {
      const { rows } = await pool.query(`select data->>'signature' as signature from event ${at(account, 6)}`)
      await forge(pool, { ...gift('gift', rows[0]), meta: BY_ADA })
    },
    names: [{ check: 'grant', stream: account, revision: 9, wrong: /signature is not one of the operator ada/ }],
  },
  {
    what: 'a signed grant that is repeated as another lot, well chained',
    does: async (pool) => {
      const { rows } = await pool.query(`select data from event ${at(account, 6)}`)
      const { lotId, ...data } = rows[0].data
      const again = { ...data, lotId: lotId.toUpperCase() }
      await forge(pool, { stream: account, type: 'CreditLotGranted', data: again, meta: BY_ADA })
    },
    names: [{ check: 'grant', stream: account, revision: 9, wrong: /signature is not one of the operator ada/ }],
  },
  {
    what: 'a grant signed by someone who is not registered, well chained',
    does: (pool) => forge(pool, { ...gift('gift', { signature: 'c2lnbmVk' }), meta: { actor: 'operator:eve' } }),
    names: [{ check: 'grant', stream: account, revision: 9, wrong: /operator eve, who signed it, is not registered/ }],
  },
  {
    what: 'a withdrawal that an operator did not sign, well chained',
    does: (pool) =>
      forge(pool, {
        stream: account,
        type: 'CreditsWithdrawn',
        data: {
          userId: buyer,
          adjustmentId: 'w',
          parts: [{ lotId: derivedId('free', buyer), amount: 5 }],
          reason: 'a mistake',
          at: '2026-01-10T13:00:00.000Z',
        },
        meta: BY_ADA,
      }),
    names: [{ check: 'grant', stream: account, revision: 9, wrong: /No operator signed it/ }],
  },
  {
    what: 'credits given back for a dispute that was not won, well chained',
    does: (pool) =>
      forge(pool, {
        stream: account,
        type: 'CreditsRestored',
        data: {
          userId: buyer,
          restorationId: 'd',
          lotId: `sale-${sale}`,
          amount: 5,
          newLotId: 'restored-d',
          at: '2026-01-10T13:00:00.000Z',
        },
      }),
    names: [{ check: 'grant', stream: account, revision: 9, wrong: /No dispute won d about this lot's sale/ }],
  },
  {
    what: 'credits of a sale forfeited although its subscription runs, well chained',
    does: (pool) => forge(pool, forfeiture(buyer, `sale-${sale}`)),
    names: [
      { check: 'grant', stream: account, revision: 9, wrong: /sale-SALE-1, but no subscription .* has ended since/ },
    ],
  },
  {
    what: 'free credits forfeited as those of a subscription, well chained',
    does: (pool) => forge(pool, forfeiture(other, derivedId('free', other))),
    names: [{ check: 'grant', stream: others, revision: 3, wrong: /is not of a subscription/ }],
  },
  {
    what: 'a video that another account pays for again, well chained',
    does: async (pool) => {
      const about = { userId: other, holdId: LEDGER.finished, at: '2026-01-10T13:00:00.000Z' }
      const parts = [{ lotId: derivedId('free', other), amount: 30 }]
      await forge(pool, { stream: others, type: 'CreditsHeld', data: { ...about, parts } })
      await forge(pool, { stream: others, type: 'CreditsCaptured', data: about })
    },
    names: [{ check: 'delivery', stream: others, revision: 3, wrong: /held for it before, in the account of another/ }],
  },
  {
    what: 'a debt without a reversal, well chained',
    does: (pool) =>
      forge(pool, {
        stream: others,
        type: 'CreditsReversed',
        data: {
          userId: other,
          reversalId: 'r',
          lotId: 'x',
          parts: [],
          debt: 5,
          reason: 'refund',
          at: '2026-01-10T13:00:00.000Z',
        },
      }),
    names: [
      { check: 'grant', stream: others, revision: 3, wrong: /No reversal r/ },
      { check: 'postings', stream: others, revision: 3, wrong: /There is no lot x/ },
    ],
  },
  {
    what: 'a video that is paid twice, well chained',
    does: (pool) =>
      forge(pool, {
        stream: others,
        type: 'CreditsCaptured',
        data: { userId: other, holdId: LEDGER.spentByOther, at: '2026-01-10T13:00:00.000Z' },
      }),
    names: [{ check: 'postings', stream: others, revision: 3, wrong: /No credits are held/ }],
  },
  {
    what: 'an event with incomplete data',
    does: (pool) => forge(pool, { stream: others, type: 'CreditsHeld', data: { userId: other } }),
    names: [{ check: 'postings', stream: others, revision: 3, wrong: /cannot be read/ }],
  },
  {
    what: 'a hold that has been open for more than a day, although the store says that it is new',
    does: (pool) =>
      forge(pool, {
        stream: others,
        type: 'CreditsHeld',
        data: {
          userId: other,
          holdId: LEDGER.open,
          parts: [{ lotId: derivedId('free', other), amount: 30 }],
          at: new Date(Date.now() - 25 * 3_600_000).toISOString(),
        },
      }),
    names: [{ check: 'hold', stream: others, revision: 3, wrong: /open for more than a day/ }],
  },
  {
    what: 'a refund whose credits were not claimed, although the store says that it is new',
    does: (pool) =>
      forge(pool, {
        stream: subscription,
        type: 'SubscriptionSaleReversed',
        data: {
          userId: buyer,
          agreementId: LEDGER.agreement,
          saleId: sale,
          reversalId: 'REFUND-2',
          kind: 'refund',
          amountCents: 260,
          takenCents: 260,
          credits: 20,
          at: new Date(Date.now() - 25 * 3_600_000).toISOString(),
        },
      }),
    names: [
      { check: 'grant', stream: subscription, wrong: /REFUND-2 was reported, but its 20 credits were not claimed/ },
    ],
  },
  {
    what: 'a grant that expires, well chained',
    does: (pool) =>
      forge(pool, grant(LEDGER.open, 'welcome', 'free', { amount: 60, expiresAt: '2026-01-11T13:00:00.000Z' })),
    names: [{ check: 'grant', revision: 0, wrong: /expires at 2026-01-11.*, but such credits never do/ }],
  },
  {
    what: 'returned credits that never expire, well chained',
    does: (pool) =>
      forge(pool, {
        stream: account,
        type: 'CreditsReleased',
        data: {
          userId: buyer,
          holdId: LEDGER.open,
          reason: 'not delivered',
          parts: [],
          renewed: { lotId: `returned-${LEDGER.open}`, amount: 30, expiresAt: '9999-01-01T00:00:00.000Z' },
          at: new Date().toISOString(),
        },
      }),
    names: [{ check: 'grant', stream: account, revision: 9, wrong: /returns credits until 9999/ }],
  },
  {
    what: 'a sale without credits, although the store says that it is new',
    does: async (pool) => {
      const { rows } = await pool.query(`select data from event ${at(subscription, 2)}`)
      const old = { saleId: 'SALE-3', at: new Date(Date.now() - 25 * 3_600_000).toISOString() }
      await forge(pool, { stream: subscription, type: 'SubscriptionPaid', data: { ...rows[0].data, ...old } })
    },
    names: [{ check: 'grant', stream: subscription, wrong: /SALE-3 was paid, but its 100 credits were not granted/ }],
  },
  {
    what: 'a pack that nobody ordered',
    does: (pool) => forge(pool, pack('PackPaid', { saleId: 'C-1', credits: 300, soldAt: new Date().toISOString() })),
    names: [{ check: 'grant', stream: subscription, wrong: /No order O-1 of this user asked for it/ }],
  },
  {
    what: 'a pack with more credits than were ordered',
    does: async (pool) => {
      await forge(pool, pack('PackRequested', { provider: 'paypal', credits: 300 }))
      await forge(pool, pack('PackPaid', { saleId: 'C-1', credits: 30_000, soldAt: new Date().toISOString() }))
    },
    names: [{ check: 'grant', stream: subscription, wrong: /was small 4.99 USD for 300 credits; it was sold as/ }],
  },
  {
    what: 'a grant of a code that was not redeemed',
    does: forgeAll(issued, ofCode(buyer)),
    names: [{ check: 'grant', stream: account, revision: 9, wrong: /This user redeemed no code/ }],
  },
  {
    what: "a grant for another user's redemption of a code",
    does: forgeAll(issued, redeemed(other), ofCode(other), ofCode(buyer)),
    names: [{ check: 'grant', stream: account, revision: 9, wrong: /This user redeemed no code/ }],
  },
  {
    what: 'a grant of more credits than the code has',
    does: forgeAll(issued, redeemed(buyer), ofCode(buyer, { amount: 9_000 })),
    names: [{ check: 'grant', stream: account, revision: 9, wrong: /grants 9000 credits; the code brings 100/ }],
  },
  {
    what: 'a doubled grant of a code',
    does: forgeAll(issued, redeemed(buyer), ofCode(buyer), ofCode(buyer)),
    names: [{ check: 'grant', stream: account, revision: 10, wrong: /The code .* was granted before/ }],
  },
  {
    what: 'a redemption of a code that was not issued',
    does: forgeAll(redeemed(buyer), ofCode(buyer)),
    names: [{ check: 'grant', stream: `code-${codeId}`, revision: 0, wrong: /No such code was issued/ }],
  },
  {
    what: 'a redemption with more credits than the code was issued with',
    does: forgeAll(issued, redeemed(buyer, { credits: 9_000 }), ofCode(buyer, { amount: 9_000 })),
    names: [
      { check: 'grant', stream: `code-${codeId}`, revision: 1, wrong: /brings 9000 credits; .* issued with 100/ },
    ],
  },
  {
    what: 'more redemptions of a code than it was issued for',
    does: forgeAll(issued, redeemed(buyer), ofCode(buyer), redeemed(other), ofCode(other)),
    names: [{ check: 'grant', stream: `code-${codeId}`, revision: 2, wrong: /issued for 1 uses; this is number 2/ }],
  },
  {
    what: 'a second redemption of a code by one user',
    does: forgeAll(issued, redeemed(buyer), redeemed(buyer)),
    names: [{ check: 'grant', stream: `code-${codeId}`, revision: 2, wrong: /had redeemed the code before/ }],
  },
  {
    what: 'a redemption of a void code',
    does: forgeAll(issued, code('CodeVoided', { by: 'ada' }), redeemed(buyer), ofCode(buyer)),
    names: [{ check: 'grant', stream: `code-${codeId}`, revision: 2, wrong: /The code was void/ }],
  },
  {
    what: 'a redemption of a code that had expired',
    does: forgeAll(
      { ...issued, data: { ...issued.data, expiresAt: '2026-01-10T13:00:00.000Z' } },
      ...[redeemed(buyer), ofCode(buyer)],
    ),
    names: [{ check: 'grant', stream: `code-${codeId}`, revision: 1, wrong: /The code expired at 2026-01-10/ }],
  },
  {
    what: 'a redemption that granted nothing for a day',
    does: forgeAll(issued, redeemed(buyer)),
    names: [{ check: 'grant', stream: `code-${codeId}`, revision: 1, wrong: /its 100 credits were not granted/ }],
  },
  {
    what: 'a code that is issued again with more uses',
    does: forgeAll(issued, { ...issued, data: { ...issued.data, uses: 1_000 } }),
    names: [{ check: 'grant', stream: `code-${codeId}`, revision: 1, wrong: /The code was issued before/ }],
  },
  {
    what: "a free grant above the plan's, well chained",
    does: (pool) => forge(pool, grant(LEDGER.open, 'welcome', 'free', { amount: 6_000 })),
    names: [{ check: 'grant', revision: 0, wrong: /grants 6000 free credits; the plan brings 60/ }],
  },
]
