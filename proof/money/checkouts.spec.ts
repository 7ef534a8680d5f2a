import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { currentOf } from '#backend/subscriptions/agreements.rules.ts'
import { PLANS } from '#backend/subscriptions/plans.contract.ts'
import { FULL } from '#backend/testing/fullRun.ts'
import { play } from './moneyInvariants.ts'
import { crashing, type Step } from './moneySteps.ts'
import { MoneyWorld } from './moneyWorld.ts'

const SECOND_MS = 1_000
const tiers = fc.array(fc.constantFrom('standard', 'pro', 'ultimate'), { minLength: 2, maxLength: 4 })
type Act = 'approve' | 'cancel' | 'cancelNow' | 'read' | 'settle' | 'reconcile'
const act = fc.oneof(
  { weight: 5, arbitrary: fc.constant<Act>('approve') },
  { weight: 1, arbitrary: fc.constantFrom<Act>('cancel', 'cancelNow') },
  { weight: 5, arbitrary: fc.constantFrom<Act>('read', 'settle', 'reconcile') },
)
const acts = fc.array(fc.record({ act, nth: fc.nat({ max: 5 }) }), { minLength: 4, maxLength: 14 })

/** Sales at the provider that are not refunded. */
const keptSales = ({ provider }: MoneyWorld) =>
  [...provider.accounts.values()].flatMap(({ sales }) => sales).filter((sale) => provider.takenBack(sale) === 0)

describe('several open checkouts', () => {
  const numRuns = FULL ? 50_000 : 500

  it(`end on the plan approved last, paid once, in ${numRuns} random histories`, { timeout: 1_200_000 }, async () => {
    let [refunded, contested] = [0, 0]
    const property = fc.asyncProperty(tiers, acts, crashing, async (wanted, all, rollCrash) => {
      const world = new MoneyWorld(() => false)
      const approved: string[] = []
      let [lastApproved, cancels] = ['', 0]
      for (const tier of wanted) await world.request(tier)
      world.crashes = rollCrash
      const steps = all.map(
        ({ act, nth }): Step =>
          async () => {
            world.now += SECOND_MS
            if (act === 'approve') {
              const id = world.agreements[nth % world.agreements.length]!
              if (world.provider.accounts.get(id)?.status !== 'pending') return
              world.provider.approve(id)
              approved.push(id)
              lastApproved = id
            } else if (act === 'read') await world.read(nth)
            else if (act === 'settle') await world.settle()
            else if (act === 'reconcile') await world.reconcile()
            else {
              // One that fails can have been recorded before the crash.
              await world.cancel(act === 'cancel')
              cancels++
            }
          },
      )
      await play(world, steps)
      const kept = keptSales(world)
      const sold = [...world.provider.accounts.values()].flatMap(({ sales }) => sales)
      for (const sale of sold.filter((each) => !kept.includes(each))) {
        refunded++
        expect(world.mails).toContain(`refunded ${sale.id}`)
        expect(world.account.lots.map(({ id }) => id)).not.toContain(`sale-${sale.id}`)
      }
      expect(world.mails.size).toBe(sold.length - kept.length)
      const ended = world.subscription.proposedRefunds.filter(({ cause }) => cause === 'cancelled')
      const open = ended.filter(({ saleId }) => kept.some(({ id }) => id === saleId))
      expect([...world.alerts]).toEqual(open.map(({ saleId }) => `refund_proposed ${saleId}`))
      // Cancelling ends all checkouts: an approval before it that is reported later, or one after it, is refunded.
      expect(kept.length).toBeLessThanOrEqual(1)
      if (cancels > 0 || approved.length === 0) return
      if (approved.length > 1) contested++
      expect(kept.map(({ agreementId }) => agreementId)).toEqual([lastApproved])
      const plan = currentOf(world.subscription)
      expect(plan).toMatchObject({ id: lastApproved, status: 'active', cancelled: 'no' })
      const left = world.account.lots.reduce((sum, lot) => sum + lot.left, 0)
      expect(left).toBe(PLANS[plan!.tier].credits)
    })
    await fc.assert(property, { numRuns, seed: FULL ? Date.now() % 1e9 : 20_261_128 })
    console.log(`${refunded} sales refunded; ${contested} histories with several approvals and no cancellation`)
    expect(refunded > numRuns / 4 && contested > numRuns / 4).toBe(true)
  })

  it('do not refund an upgrade of a plan that ran before: its credits stay', async () => {
    const world = new MoneyWorld()
    await world.request('standard')
    world.provider.approve('I-1')
    await world.rest()
    world.now += SECOND_MS
    for (const tier of ['pro', 'ultimate'] as const) await world.request(tier)
    for (const id of world.agreements.slice(1)) {
      world.now += SECOND_MS
      world.provider.approve(id)
      await world.rest()
    }
    expect(keptSales(world).map(({ agreementId }) => agreementId)).toEqual(['I-1', 'I-3'])
    const left = world.account.lots.reduce((sum, lot) => sum + lot.left, 0)
    expect(left).toBe(PLANS.standard.credits + PLANS.ultimate.credits)
  })
})
