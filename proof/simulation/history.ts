import { MOVED_CLOCK } from '#backend/kernel/postgres/calendar.ts'
import type { PaymentModel } from '#proof/money/paymentModel.ts'
import { Cluster } from './actors/cluster.ts'
import { Customer } from './actors/customer.ts'
import { poison, tamper } from './actors/vandal.ts'
import { Violation } from './invariants/violation.ts'
import type { Action, Plan } from './plan.ts'
import { World } from './world.ts'

const DAY_MS = 24 * 3_600_000
const SLICE_MS = 5_000
/** Time after the last fault until everything works again. */
const RECOVERY_MS = 30_000
/** Age at which an event must have been projected while nothing is broken. */
const MAX_LAG_MS = 10_000
/** Time that an installation has to come to rest after the last action. */
const PATIENCE_MS = 2 * 3_600_000

/** Actions after which nothing has to be repeated. */
const CALM: readonly Action['kind'][] = ['generate', 'stop']

export interface Outcome {
  readonly violation: Violation | undefined
  readonly trace: readonly string[]
  /** What happened, by kind. */
  readonly counts: Readonly<Record<string, number>>
}

/** Lets a history happen. */
export async function runHistory(plan: Plan, { traced = false } = {}): Promise<Outcome> {
  const world = new World(plan, traced)
  const { trace } = world
  const cluster = new Cluster(world)
  const customers = plan.customers.map((_, index) => new Customer(world, cluster, `customer${index}`))
  for (const [index, { userId }] of customers.entries()) grantFree(world, cluster, userId, plan.customers[index]!)
  const onUnhandled = ({ message }: Error) => {
    world.violation ??= new Violation('every rejection is handled', message)
  }
  process.on('unhandledRejection', onUnhandled)
  setFaults(world, plan.lostAnswers)
  if (plan.startMs > 0) {
    world.server.startLatency = { min: plan.startMs, max: plan.startMs }
    world.starts.isCalm = true
  }
  world.tasks.isCalm = plan.lostAnswers === 0 && plan.actions.every(({ kind }) => CALM.includes(kind))
  const begin = world.scheduler.now
  for (const action of plan.actions)
    world.scheduler.schedule(action.at, undefined, () => {
      trace.line('plan', JSON.stringify({ ...action, at: undefined }))
      act(world, cluster, customers, action)
    })
  const isOver = () => world.violation !== undefined
  await world.scheduler.run(begin + endOf(plan), isOver)
  await comeToRest(world, isOver)
  process.off('unhandledRejection', onUnhandled)
  return { violation: world.violation, trace: trace.lines, counts: count(world, plan) }
}

/** Grants a customer's free credits, with retries, as the verification of the address does. */
function grantFree(world: World, cluster: Cluster, userId: string, credits: number): void {
  const repeat = () => world.scheduler.schedule(1_000, undefined, () => grantFree(world, cluster, userId, credits))
  const call = cluster.onApi(({ services }) => services.credits.grantFreeCredits(userId, credits).catch(repeat))
  if (!call) repeat()
}

function count({ scheduler, written, tasks, teams, database }: World, { actions }: Plan): Record<string, number> {
  const inState = (wanted: string) => [...tasks.tasks.values()].filter(({ state }) => state === wanted).length
  const planned = (kind: Action['kind']) => actions.filter((action) => action.kind === kind).length
  return {
    ...{ steps: scheduler.steps, events: written.length, tasks: tasks.tasks.size },
    ...{
      delivered: inState('delivered'),
      cancelled: inState('cancelled'),
      failed: inState('failed'),
      recovered: inState('recovered'),
    },
    ...{ kills: planned('kill'), pauses: planned('pause'), outages: planned('outage') },
    ...{
      stopped: [...tasks.tasks.values()].filter(({ cancels }) => cancels > 0).length,
      parked: database.table('parked_event').rows.size,
      ...teams.counts,
      sales: written.filter(({ type }) => type === 'SubscriptionPaid').length,
    },
  }
}

function setFaults({ store, video, payments }: World, lostAnswers: number): void {
  store.faults.lostAnswers = lostAnswers
  Object.assign(video.faults, { lostAnswers, postponed: lostAnswers, refused: 0.03, failedDownloads: lostAnswers })
  payments.lostAnswers = lostAnswers
}

/** Ends all faults, and waits until nothing is left to do. */
async function comeToRest(world: World, isOver: () => boolean): Promise<void> {
  setFaults(world, 0)
  const { scheduler, tasks, credits, money, readModels } = world
  const calm = scheduler.now + RECOVERY_MS
  const until = scheduler.now + PATIENCE_MS
  const rest = () => {
    tasks.atRest(world.quarantined)
    credits.atRest(world.quarantined)
    money.atRest(world.quarantined, world.payments.model)
    world.teams.atRest()
    readModels.haveRead(scheduler.now)
  }
  while (!isOver()) {
    await scheduler.run(scheduler.now + SLICE_MS, isOver)
    if (scheduler.now >= calm) world.check(() => readModels.haveRead(scheduler.now - MAX_LAG_MS))
    if (scheduler.now >= until) world.check(rest)
    else if (isAtRest(rest)) return
  }
}

/** Returns when the last action is over, ms after the begin. */
const endOf = ({ actions }: Plan) =>
  Math.max(0, ...actions.map((action) => action.at + ('ms' in action ? action.ms : 0)))

function isAtRest(rest: () => void): boolean {
  try {
    rest()
    return true
  } catch {
    return false
  }
}

function act(world: World, cluster: Cluster, customers: readonly Customer[], action: Action): void {
  switch (action.kind) {
    case 'generate':
    case 'remove':
    case 'stop':
      customers[action.user]![action.kind]()
      break
    case 'form':
      customers[0]!.formTeam()
      break
    case 'join':
      customers[action.user]!.join(customers[0]!, action.limit)
      break
    case 'order':
      customers[action.user]!.generate(customers[0])
      break
    case 'limit':
      customers[0]!.limit(customers[action.user]!, action.limit)
      break
    case 'expel':
      customers[0]!.expel(customers[action.user]!)
      break
    case 'upgrade':
      customers[action.user]!.upgrade(action.tier)
      break
    case 'cancel':
      customers[action.user]!.cancel(action.atPeriodEnd)
      break
    case 'advance':
      advance(world, action.days)
      break
    case 'refund':
      atProvider(world, (model, id) => model.refund(id, action.percent))
      break
    case 'chargeBack':
      atProvider(world, (model, id) => model.chargeBack(id))
      break
    case 'resolveDispute':
      atProvider(world, (model, id) => model.resolveDispute(id, action.isWon))
      break
    case 'kill':
      cluster.kill(action.role, action.index, action.ms)
      break
    case 'pause':
      cluster.pause(action.role, action.index, action.ms)
      break
    case 'loseLeases':
      cluster.loseLeases(action.role, action.index)
      break
    case 'outage':
      breakDown(world, action)
      break
    case 'poison':
      poison(world, action.with)
      break
    case 'edit':
    case 'cut':
      tamper(world, customers[action.user]!.userId, action.kind)
  }
}

/** Something happens to each agreement at the payment provider. */
function atProvider({ payments }: World, happen: (model: PaymentModel, agreementId: string) => void): void {
  for (const id of payments.model.accounts.keys()) happen(payments.model, id)
  payments.sendWebhooks()
}

function advance(world: World, days: number): void {
  world.calendarAhead += days * DAY_MS
  world.payments.model.billDue()
  world.payments.sendWebhooks()
  world.database.notify(JSON.stringify({ name: MOVED_CLOCK, ids: [] }))
}

function breakDown(
  { scheduler, store, database, video }: World,
  { of, ms }: Extract<Action, { kind: 'outage' }>,
): void {
  const broken = { store: store.faults, database, video: video.faults }[of]
  broken.isDown = true
  scheduler.schedule(ms, undefined, () => {
    broken.isDown = false
  })
}
