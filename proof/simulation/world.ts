import type { Context } from '#backend/app/context.ts'
import type { Services } from '#backend/app/services.ts'
import { createServices } from '#backend/app/services.ts'
import { createOrigins } from '#backend/kernel/eventsourcing/createOrigins.ts'
import type { Stored } from '#backend/kernel/eventsourcing/eventStore.port.ts'
import { createHandle } from '#backend/kernel/eventsourcing/handle.ts'
import { createMetrics } from '#backend/kernel/observability/metrics.ts'
import { openChanges } from '#backend/kernel/postgres/changes.ts'
import { SimulatedDatabase } from './doubles/database.ts'
import { SimulatedEventStore } from './doubles/eventStore.ts'
import { SimulatedLeases } from './doubles/leases.ts'
import { createSimulatedMedia } from './doubles/mediaStore.ts'
import { SimulatedPayments } from './doubles/paymentProvider.ts'
import { chooseProjections } from './doubles/projections.ts'
import { statementFor } from './doubles/statements.ts'
import { SimulatedVideoProvider } from './doubles/videoProvider.ts'
import { followServer, WorkflowServer } from './doubles/workflowServer.ts'
import { ChainInvariants } from './invariants/chain.ts'
import { CreditInvariants } from './invariants/credits.ts'
import { MoneyInvariants } from './invariants/money.ts'
import { ReadModelInvariants } from './invariants/readModels.ts'
import { StartInvariants } from './invariants/starts.ts'
import { TaskInvariants } from './invariants/tasks.ts'
import { TeamInvariants } from './invariants/teams.ts'
import { Violation } from './invariants/violation.ts'
import { Random } from './time/random.ts'
import { Machine, Scheduler } from './time/scheduler.ts'
import { followTime } from './time/virtualTime.ts'
import { Trace } from './trace.ts'

/** When every history begins. */
const BEGIN = Date.UTC(2026, 0, 31, 12)
/** One per process: it holds no state that the code under simulation reads. */
const metrics = createMetrics()
const SECRET = '0'.repeat(64)

export type Layout = 'embedded' | 'temporal'

export interface Settings {
  readonly seed: number
  readonly layout: Layout
  readonly idempotentProvider: boolean
  readonly cancellingProvider: boolean
  readonly appendsTogether: boolean
}

/** One simulated installation: its infrastructure, what is around it, and the invariants that watch it. */
export class World {
  readonly settings: Settings
  readonly trace: Trace
  readonly scheduler: Scheduler
  readonly database: SimulatedDatabase
  readonly store: SimulatedEventStore
  readonly leases: SimulatedLeases
  readonly server: WorkflowServer
  readonly video: SimulatedVideoProvider
  readonly payments: SimulatedPayments
  readonly media: ReturnType<typeof createSimulatedMedia>
  /** Every event as it was written, even if it is edited or removed later. */
  readonly written: Stored[] = []
  readonly chains = new ChainInvariants()
  readonly credits = new CreditInvariants()
  readonly money = new MoneyInvariants()
  readonly teams = new TeamInvariants()
  readonly tasks = new TaskInvariants(this.credits)
  readonly starts: StartInvariants
  readonly readModels: ReadModelInvariants
  /** Users whose stream was changed: their tasks need an operator. */
  readonly quarantined = new Set<string>()
  /** Streams with an event that cannot be projected. */
  readonly poisoned = new Set<string>()
  violation: Violation | undefined
  /** By how much the calendar is ahead of the clock, ms. */
  calendarAhead = 0

  constructor(settings: Settings, isTraced: boolean) {
    this.settings = settings
    this.scheduler = new Scheduler(new Random(settings.seed), BEGIN)
    this.trace = new Trace(isTraced, () => this.scheduler.now - BEGIN)
    followTime(this.scheduler)
    this.database = new SimulatedDatabase(this.scheduler, statementFor)
    this.store = new SimulatedEventStore(
      this.scheduler,
      (event) => this.check(() => this.#observe(event)),
      settings.appendsTogether,
    )
    this.leases = new SimulatedLeases(this.scheduler)
    this.server = new WorkflowServer(this.scheduler)
    followServer(this.server)
    this.video = new SimulatedVideoProvider(this.scheduler, {
      idempotent: settings.idempotentProvider,
      cancels: settings.cancellingProvider,
    })
    this.payments = new SimulatedPayments(this.scheduler, () => this.calendar())
    this.media = createSimulatedMedia(this.scheduler)
    this.starts = new StartInvariants(this.tasks, () => this.scheduler.now)
    const projections = chooseProjections(this.scheduler.random)
    this.readModels = new ReadModelInvariants(this.database, this.written, projections, this.poisoned)
    this.database.onCommit = () => this.check(() => this.readModels.afterCommit())
    this.database.onUnknown = ({ message }) => {
      this.violation ??= new Violation('every statement is simulated', message)
    }
    this.server.onStart = (id) => this.check(() => this.starts.start(id))
    this.video.onJob = (taskId) => {
      this.trace.line('provider', `creates a job for ${taskId}`)
      this.check(() => this.tasks.createJob(taskId))
    }
    this.video.onCancel = (taskId) => {
      this.trace.line('provider', `cancels the job of ${taskId}`)
      this.check(() => this.tasks.cancelJob(taskId))
    }
  }

  calendar(): number {
    return Math.floor(this.scheduler.now) + this.calendarAhead
  }

  /** Runs a check, and remembers the first violation: code under simulation must not be able to catch it. */
  check(invariant: () => void): void {
    try {
      invariant()
    } catch (error) {
      if (!(error instanceof Violation)) throw error
      this.violation ??= error
    }
  }

  /** Starts a process. Returns what its code is given. */
  boot(name: string, start: (context: Context, services: Services) => void): Machine {
    const machine = new Machine(name)
    this.trace.line(name, 'starts')
    this.scheduler.runOn(machine, () => {
      const context = this.#contextOf(name)
      start(context, this.#servicesOf(context))
    })
    return machine
  }

  #observe(event: Stored): void {
    this.written.push(event)
    this.trace.line('log', `${event.stream} ${event.revision} ${event.type}`)
    if (this.poisoned.has(event.stream)) return
    if (this.quarantined.size === 0) this.chains.observe(event)
    this.credits.observe(event)
    this.money.observe(event)
    this.tasks.observe(event)
    this.teams.observe(event)
  }

  #contextOf(name: string): Context {
    const { store, database, settings } = this
    const findOrigin = createOrigins(store)
    const line = (level: string) => (detail: { err?: Error }, message: string) =>
      this.trace.line(name, `${level}: ${message}${detail.err ? ` (${detail.err.message})` : ''}`)
    const changes = openChanges({ database } as never)
    changes.hear()
    const context = {
      config: {
        secrets: { encryption: SECRET },
        temporal:
          settings.layout === 'temporal' ? { address: 'simulated', namespace: 'default', tls: false } : undefined,
        video: {},
        marks: { label: 'never' },
        payments: { tills: ['sandbox'], paypal: undefined, stripe: undefined, monthlyCredits: 0 },
        invoices: { seller: undefined, taxRate: 0, reverseCharge: false, series: 'K', years: 10 },
        teamSeats: 5,
        operators: { timeZone: 'UTC' },
        http: {},
        dataDir: '/simulated',
      },
      log: { info: line('info'), warn: line('warn'), error: line('error'), debug() {} },
      clock: () => Date.now(),
      calendar: () => this.calendar(),
      temporaryDir: '/simulated',
      pool: database.pool,
      database: database.orm,
      store,
      handle: createHandle(store, { onFirst: findOrigin.remember }),
      findOrigin,
      changes,
      leases: this.leases.client,
      observability: { metrics },
    }
    return context as unknown as Context
  }

  #servicesOf(context: Context): Services {
    const services = createServices(context, { media: this.media } as never)
    const userKeys = {
      encrypt: async (_: object, text: string) => text,
      decrypt: async (_: object, text: string) => text,
    }
    // No copies are drawn: simulated files have no content.
    const copies = { ...services.copies, prepare: async () => {} }
    return { ...services, copies, userKeys: { ...services.userKeys, ...userKeys } }
  }
}
