import type { PaidTier } from '#backend/subscriptions/events.ts'
import type { Role } from './actors/cluster.ts'
import { POISONS, type Poison } from './actors/vandal.ts'
import { Random } from './time/random.ts'
import type { Layout } from './world.ts'

type Place = Readonly<{ role: Role; index: number }>

/** Something that happens to the installation at a time, ms after the begin. `user` is the index of a customer. The first owns the team. */
export type Action = Readonly<{ at: number }> &
  Readonly<
    | { kind: 'generate' | 'remove' | 'stop'; user: number }
    | { kind: 'form' }
    | { kind: 'order' | 'expel'; user: number }
    | { kind: 'join' | 'limit'; user: number; limit: number | null }
    | { kind: 'upgrade'; user: number; tier: PaidTier }
    | { kind: 'cancel'; user: number; atPeriodEnd: boolean }
    | { kind: 'advance'; days: number }
    | { kind: 'refund'; percent: number }
    | { kind: 'chargeBack' }
    | { kind: 'resolveDispute'; isWon: boolean }
    | ({ kind: 'kill'; ms: number } & Place)
    | { kind: 'pause'; role: Role; index: number | 'holder'; ms: number }
    | ({ kind: 'loseLeases' } & Place)
    | { kind: 'outage'; of: 'store' | 'database' | 'video'; ms: number }
    | { kind: 'poison'; with: Poison }
    | { kind: 'edit' | 'cut'; user: number }
  >

/** A history before it happens. */
export interface Plan {
  readonly seed: number
  readonly layout: Layout
  readonly idempotentProvider: boolean
  /** Whether the provider can cancel a running job. */
  readonly cancellingProvider: boolean
  /** Credits of each customer at the begin. */
  readonly customers: readonly number[]
  /** Probability that an answer is lost, wherever one can be. */
  readonly lostAnswers: number
  /** Whether the event store can append to several streams in one commit. */
  readonly appendsTogether: boolean
  /** Time that the workflow server takes for a start, ms. Nothing else goes wrong if it is slow. */
  readonly startMs: number
  readonly actions: readonly Action[]
}

const SPAN_MS = 60_000

/** Returns the history of a seed. */
export function planHistory(seed: number): Plan {
  // A generator of their own, so that the histories of known seeds stay as they are but for what is cancelled.
  const random = new Random(seed ^ 0xcace1)
  const plan = withTeam(planWithoutStops(seed), new Random(seed ^ 0x7ea))
  const user = random.integer(0, plan.customers.length - 1)
  const stops: Action[] = Array.from({ length: random.integer(1, 3) }, () => {
    return { kind: 'stop', user, at: random.between(2_000, 1.2 * SPAN_MS) }
  })
  const isStopped = plan.startMs === 0 && random.chance(0.4)
  return {
    ...plan,
    cancellingProvider: isStopped,
    appendsTogether: new Random(seed ^ 0xa11).chance(0.5),
    actions: isStopped ? inOrder([...plan.actions, ...stops]) : plan.actions,
  }
}

type Course = Omit<Plan, 'cancellingProvider' | 'appendsTogether'>

/** Adds a team to some histories: its members order until limits, removals and the end of the plan refuse it. */
function withTeam(plan: Course, random: Random): Course {
  const isTampered = plan.actions.some(({ kind }) => kind === 'edit' || kind === 'cut')
  if (plan.startMs > 0 || isTampered || !random.chance(0.15)) return plan
  const [user, limit] = [() => random.integer(1, 2), () => random.pick([0, 30, 60, null])]
  const at = () => random.between(0.3 * SPAN_MS, 2 * SPAN_MS)
  const expelledAt = at()
  const actions: Action[] = [
    { kind: 'upgrade', user: 0, tier: 'ultimate', at: 0 },
    ...[8_000, 14_000].map((at) => ({ kind: 'form', at }) as const),
    ...[1, 2].map((user) => ({ kind: 'join', user, limit: limit(), at: 0.3 * SPAN_MS }) as const),
    ...Array.from({ length: random.integer(3, 10) }, () => ({ kind: 'order', user: user(), at: at() }) as const),
    { kind: 'limit', user: user(), limit: limit(), at: at() },
    { kind: 'expel', user: user(), at: expelledAt },
  ]
  // The request that removes a member dies with its process.
  const killedAt = expelledAt + random.between(5, 60)
  if (random.chance(0.5))
    for (const index of [0, 1]) actions.push({ kind: 'kill', role: 'api', index, ms: 2_000, at: killedAt })
  if (random.chance(0.8)) actions.push({ kind: 'cancel', user: 0, atPeriodEnd: random.chance(0.3), at: at() })
  if (random.chance(0.3)) actions.push({ kind: 'advance', days: random.integer(1, 40), at: at() })
  return { ...plan, customers: [60, 60, 60], actions: inOrder([...plan.actions, ...actions]) }
}

function planWithoutStops(seed: number): Course {
  const random = new Random(seed ^ 0x5eed)
  const layout = random.chance(0.5) ? 'temporal' : 'embedded'
  const base = { seed, layout, idempotentProvider: random.chance(0.5), startMs: 0 } as const
  const lostAnswers = random.chance(0.5) ? random.pick([0.02, 0.1, 0.3]) : 0
  const theme = random.next()
  if (theme < 0.02) return { ...base, layout: 'temporal', startMs: 1_000, lostAnswers: 0, ...planBurst(random) }
  if (theme < 0.08) return { ...base, lostAnswers: 0, ...planTampering(random) }
  if (theme < 0.2) return { ...base, lostAnswers, ...planTakeovers(random) }
  const customers = Array.from({ length: random.integer(1, 3) }, () => random.pick([60, 60, 300]))
  const actions = [...planRequests(random, customers.length), ...planHazards(random)]
  if (random.chance(0.08)) actions.push({ kind: 'poison', with: random.pick(POISONS), at: random.between(0, SPAN_MS) })
  if (random.chance(0.15)) actions.push(...planMoney(random, customers.length))
  return { ...base, lostAnswers, customers, actions: inOrder(actions) }
}

const inOrder = (actions: readonly Action[]) => actions.toSorted((a, b) => a.at - b.at)

function planRequests(random: Random, customers: number): Action[] {
  const user = () => random.integer(0, customers - 1)
  const requests: Action[] = Array.from({ length: random.integer(1, 6) }, () => {
    return { kind: 'generate', user: user(), at: random.between(1_000, SPAN_MS) }
  })
  if (random.chance(0.3)) requests.push({ kind: 'remove', user: user(), at: random.between(5_000, 2 * SPAN_MS) })
  return requests
}

function planHazards(random: Random): Action[] {
  const hazards = Array.from({ length: random.integer(0, 4) }, () =>
    planHazard(random, random.between(0, 1.5 * SPAN_MS)),
  )
  // Both projections processes restart: nothing is projected for a while.
  if (random.chance(0.1)) {
    const at = random.between(0, SPAN_MS)
    for (const index of [0, 1]) hazards.push({ kind: 'kill', role: 'projections', index, ms: 8_000, at })
  }
  return hazards
}

const HAZARDS = ['kill', 'kill', 'pause', 'pause', 'pause', 'loseLeases', 'outage'] as const
const ROLES = ['api', 'workflows', 'workflows', 'projections'] as const

function planHazard(random: Random, at: number): Action {
  const place = { role: random.pick(ROLES), index: random.integer(0, 1) }
  const kind = random.pick(HAZARDS)
  switch (kind) {
    case 'kill':
      return { kind, ...place, ms: random.between(500, 15_000), at }
    case 'pause':
      return { kind, ...place, ms: random.between(1_000, 25_000), at }
    case 'loseLeases':
      return { kind, ...place, at }
    case 'outage':
      return { kind, of: random.pick(['store', 'database', 'video']), ms: random.between(500, 12_000), at }
  }
}

/** Workers that sleep for longer than their lease lasts, while their task renders. */
function planTakeovers(random: Random) {
  const actions: Action[] = [2_000, 4_000, 50_000].map((at) => ({ kind: 'generate', user: 0, at }))
  for (const begin of [5_000, 30_000, 55_000]) {
    const [ms, at] = [random.between(7_000, 20_000), begin + random.between(0, 12_000)]
    actions.push({ kind: 'pause', role: 'workflows', index: random.pick(['holder', 'holder', 0, 1]), ms, at })
  }
  return { customers: [300], actions: inOrder(actions) }
}

/** Many tasks at once, while the workflow server takes a second for each start. */
function planBurst(random: Random) {
  const customers = Array.from({ length: 9 }, () => 60)
  const generate = (_: number, index: number): Action => ({
    kind: 'generate',
    user: index % 9,
    at: random.between(3_000, 6_000),
  })
  return { customers, actions: inOrder(Array.from({ length: 18 }, generate)) }
}

/** A customer's account is changed on the disk. Then all processes restart, and the customer goes on. */
function planTampering(random: Random) {
  const actions: Action[] = [
    { kind: 'generate', user: 0, at: 2_000 },
    { kind: 'generate', user: 0, at: 45_000 },
    { kind: random.pick(['edit', 'cut']), user: 0, at: 100_000 },
  ]
  for (const role of ['api', 'workflows'] as const)
    for (const index of [0, 1]) actions.push({ kind: 'kill', role, index, ms: 1_000, at: 101_000 })
  for (const at of [106_000, 112_000, 150_000, 156_000]) actions.push({ kind: 'generate', user: 0, at })
  actions.push({ kind: 'generate', user: 1, at: random.between(0, 150_000) })
  return { customers: [60, 60], actions: inOrder(actions) }
}

function planMoney(random: Random, customers: number): Action[] {
  const user = random.integer(0, customers - 1)
  const actions: Action[] = [{ kind: 'upgrade', user, tier: random.pick(['standard', 'pro', 'ultimate']), at: 0 }]
  const at = () => random.between(20_000, 2 * SPAN_MS)
  if (random.chance(0.5))
    actions.push({ kind: 'upgrade', user, tier: random.pick(['standard', 'pro', 'ultimate']), at: at() })
  if (random.chance(0.4)) actions.push({ kind: 'cancel', user, atPeriodEnd: random.chance(0.5), at: at() })
  if (random.chance(0.5)) actions.push({ kind: 'advance', days: random.integer(1, 40), at: at() })
  if (random.chance(0.3)) actions.push({ kind: 'refund', percent: random.integer(1, 100), at: at() })
  if (random.chance(0.3)) {
    const chargedAt = at()
    actions.push({ kind: 'chargeBack', at: chargedAt })
    if (random.chance(0.7))
      actions.push({
        kind: 'resolveDispute',
        isWon: random.chance(0.5),
        at: chargedAt + random.between(0, SPAN_MS),
      })
  }
  return actions
}
