import fc from 'fast-check'
import type pg from 'pg'
import { describe, expect, it } from 'vitest'
import { createSandbox, signWebhook } from '#backend/providers/payments/sandbox/sandbox.ts'
import { FULL } from '#backend/testing/fullRun.ts'
import { play } from './moneyInvariants.ts'
import { history, type Step } from './moneySteps.ts'
import { MoneyWorld } from './moneyWorld.ts'

const SECRET = 'secret'
const HOUR_MS = 3_600_000
const WINDOW_HOURS = 4 * 24

/** Agreements, sales, refunds and disputes of the user, of others, and of none. */
const agreement = fc.constantFrom('I-1', 'I-2', 'I-3', 'I-FOREIGN')
const sale = fc.constantFrom('S-I-1-0', 'S-I-1-1', 'S-I-2-0', 'S-INVENTED')
const value = fc.oneof(fc.constantFrom('129.99', '44.99', '-44.99', '0.00', '12.999', '9'.repeat(30)), fc.anything())
const amount = fc.record({ total: value, currency: fc.constantFrom('USD', 'EUR', 'dollars') })
const time = fc.integer({ min: 2025, max: 2027 }).map((year) => `${year}-01-31T12:00:00Z`)
const resource = fc.oneof(
  fc.record({ id: sale, billing_agreement_id: agreement, amount, create_time: time, state: fc.constant('completed') }),
  fc.record({ id: fc.constantFrom('R-7', 'R-INVENTED'), sale_id: sale, amount }),
  fc.record({
    id: agreement,
    status: fc.constantFrom('ACTIVE', 'SUSPENDED', 'CANCELLED', 'EXPIRED'),
    status_update_time: time,
    billing_info: fc.record({ failed_payments_count: fc.nat({ max: 3 }), last_failed_payment: fc.record({ time }) }),
  }),
  fc.record({
    dispute_id: sale.map((id) => `D-${id}`),
    status: fc.constantFrom('OPEN', 'RESOLVED'),
    update_time: time,
    disputed_transactions: fc.array(fc.record({ seller_transaction_id: sale }), { maxLength: 2 }),
    dispute_outcome: fc.record({ outcome_code: fc.constantFrom('RESOLVED_SELLER_FAVOUR', 'ACCEPTED') }),
  }),
  fc.anything(),
)
const event_type = fc.constantFrom(
  ...['COMPLETED', 'REFUNDED', 'REVERSED'].map((state) => `PAYMENT.SALE.${state}`),
  ...['ACTIVATED', 'SUSPENDED', 'CANCELLED', 'PAYMENT.FAILED'].map((state) => `BILLING.SUBSCRIPTION.${state}`),
  'CUSTOMER.DISPUTE.RESOLVED',
)
const webhook = fc.record({
  event: fc.record({ id: fc.uuid(), event_type, create_time: time, resource }),
  ageHours: fc.integer({ min: -2, max: 2 * WINDOW_HOURS }),
})

/**
 * Asserts that each lot was paid by a sale that the provider lists, and that credits were claimed only for a sale that it has
 * taken back. `play` compares the amounts at the end.
 */
function assertListed({ provider, account }: MoneyWorld): void {
  const listed = new Map([...provider.accounts.values()].flatMap(({ sales }) => sales.map((each) => [each.id, each])))
  for (const { id, reversed, source } of [...account.lots, ...account.closed]) {
    if (source !== 'subscription' && source !== 'payment') continue
    const paid = listed.get(id.replace(/^restored-\S+ |^sale-/, '').replace(/ .*/, ''))
    expect(paid, `lot ${id}`).toBeDefined()
    expect(reversed === 0 || provider.wasReversed(paid!.id), `claims of ${id}`).toBe(true)
  }
}

describe('signed webhooks that the provider did not send', () => {
  const numRuns = FULL ? 20_000 : 200

  it(`move no credits in ${numRuns} random histories: any body, any age, any order`, {
    timeout: 1_200_000,
  }, async () => {
    let [accepted, refused] = [0, 0]
    const property = fc.asyncProperty(
      history,
      fc.array(webhook, { minLength: 5, maxLength: 40 }),
      async (steps, forged) => {
        const world = new MoneyWorld()
        // Verifying needs no database.
        const sandbox = createSandbox({
          ...{ pool: undefined as unknown as pg.Pool, secret: SECRET },
          ...{ calendar: () => world.now, clock: () => world.now },
        })
        const forge =
          ({ event, ageHours }: (typeof forged)[number]): Step =>
          async () => {
            const body = Buffer.from(JSON.stringify(event))
            const sentAt = new Date(world.now - ageHours * HOUR_MS).toISOString()
            const signed = sandbox.verifyWebhook(signWebhook(SECRET, event.id, sentAt, body), body)
            const read = await signed.catch(() => undefined)
            if (ageHours < 0 || ageHours > WINDOW_HOURS) expect(read).toBe(undefined)
            if (read) accepted++
            else refused++
            if (read) await world.hint(read.subject)
            assertListed(world)
          }
        const mixed = steps.flatMap((step, index) => {
          const added = forged[index]
          return added ? [step, forge(added)] : [step]
        })
        await play(world, mixed)
        assertListed(world)
      },
    )
    await fc.assert(property, { numRuns, seed: FULL ? Date.now() % 1e9 : 20_261_128 })
    console.log(`${accepted} forged webhooks were processed, ${refused} refused`)
    expect(accepted).toBeGreaterThan(numRuns)
  })
})
