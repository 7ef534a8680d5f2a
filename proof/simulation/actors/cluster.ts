import type { Context } from '#backend/app/context.ts'
import { startProjections } from '#backend/app/projections.ts'
import type { Services } from '#backend/app/services.ts'
import { startWorkflows } from '#backend/app/workflows.ts'
import { sha256OfFile } from '#backend/kernel/media/sha256.ts'
import { leased } from '#backend/kernel/postgres/leased.ts'
import { createSubscriptions, type Subscriptions } from '#backend/subscriptions/subscriptions.ts'
import { handleProviderCallback } from '#backend/tasks/providerCallbacks.ts'
import { createTasks, type Tasks } from '#backend/tasks/tasks.ts'
import { catalogueDouble } from '#backend/tasks/testing/shippedModels.ts'
import { currentMachine, type Machine } from '../time/scheduler.ts'
import type { World } from '../world.ts'

const ROLES = ['api', 'workflows', 'projections'] as const
const PROVIDER = 'demo'
export type Role = (typeof ROLES)[number]

export interface Api {
  readonly machine: Machine
  readonly context: Context
  readonly services: Services
  readonly tasks: Tasks
  readonly subscriptions: Subscriptions
}

/** The processes of an installation: two of each role. One that dies is started again. */
export class Cluster {
  readonly apis: (Api | undefined)[] = []
  readonly #world: World
  readonly #machines = new Map<string, Machine>()

  constructor(world: World) {
    this.#world = world
    for (const role of ROLES) for (const index of [0, 1]) this.#boot(role, index)
    world.video.callBack = (taskId, jobId) => this.#callBack(taskId, jobId)
    world.payments.deliver = (webhook) => {
      const repeat = () => world.scheduler.schedule(5_000, undefined, () => world.payments.deliver(webhook))
      const call = this.onApi(({ services }) => services.webhooks.add(webhook).catch(repeat))
      if (!call) repeat()
    }
  }

  /** Runs code on an API process that answers. Returns undefined if none does. */
  onApi<T>(work: (api: Api) => T): { readonly value: T } | undefined {
    const awake = this.apis.filter((api) => api?.machine.isAlive && !api.machine.isPaused) as Api[]
    if (awake.length === 0) return undefined
    const api = this.#world.scheduler.random.pick(awake)
    return { value: this.#world.scheduler.runOn(api.machine, () => work(api)) }
  }

  kill(role: Role, index: number, downMs: number): void {
    const machine = this.#machines.get(`${role}${index}`)!
    if (!machine.isAlive) return
    this.#world.trace.line(machine.name, 'is killed')
    this.#world.scheduler.kill(machine)
    this.#world.leases.expire(machine)
    this.#world.server.suspect(machine)
    this.#world.scheduler.schedule(downMs, undefined, () => this.#boot(role, index))
  }

  pause(role: Role, index: number | 'holder', ms: number): void {
    const { scheduler, trace, leases, server } = this.#world
    const machine = index === 'holder' ? leases.holder('workflows') : this.#machines.get(`${role}${index}`)
    if (!machine?.isAlive || machine.isPaused) return
    trace.line(machine.name, `is paused for ${Math.round(ms)} ms`)
    scheduler.pause(machine)
    if (ms > 5_000) leases.expire(machine)
    server.suspect(machine)
    scheduler.schedule(ms, undefined, () => {
      if (!machine.isAlive) return
      trace.line(machine.name, 'wakes')
      scheduler.resume(machine, 200)
    })
  }

  /** Ends the session of a process with the database: others get its leases before it has noticed. */
  loseLeases(role: Role, index: number): void {
    const machine = this.#machines.get(`${role}${index}`)!
    this.#world.trace.line(machine.name, 'loses its leases')
    this.#world.leases.expire(machine)
  }

  #boot(role: Role, index: number): void {
    const world = this.#world
    const name = `${role}${index}`
    const machine = world.boot(name, (context, services) => {
      const { media } = world
      const videos = new Map([[PROVIDER, world.video]])
      const markVideo = async (file: string) => ({ sha256: await sha256OfFile(file) })
      const marker = { markVideo, markPoster: async () => {} }
      const adapters = { marker, media, mailer: {}, payments: world.payments.client, videos } as never
      if (role === 'projections') startProjections(context)
      else if (role === 'workflows') {
        const workflows = (lease?: number) =>
          startWorkflows(context, adapters, services, () => 'http://simulated', lease)
        if (context.config.temporal) workflows()
        else leased(context.leases, 'workflows', workflows)
      } else this.apis[index] = this.#api(context, services)
    })
    this.#machines.set(name, machine)
  }

  #api(context: Context, services: Services): Api {
    const { credits, removals, uploads, userKeys, webhooks: inbox, allowance, payerIn, teamOf } = services
    const { payments } = this.#world
    const publicUrl = () => 'http://simulated'
    const { encrypt } = userKeys
    const note = async () => {}
    const cancels = () => this.#world.video.cancels
    const wake = async () => {}
    const tasks = createTasks({
      ...context,
      note,
      removals,
      uploads,
      catalogue: catalogueDouble,
      cancels,
      understands: () => undefined,
      wake,
      encrypt,
      allowance,
      credits,
      payerIn,
      teamOf,
      assertMayMake: services.control.assertMayMake,
    })
    const { pausedTills } = services.control
    const deps = { ...context, payments: payments.client, pausedTills, inbox, credits, encrypt, publicUrl }
    return { context, services, tasks, subscriptions: createSubscriptions(deps), machine: currentMachine()! }
  }

  #callBack(taskId: string, jobId: string): void {
    this.onApi(({ context }) => {
      this.#world.trace.line('provider', `calls back about ${taskId}`)
      return handleProviderCallback(context, { taskId, provider: PROVIDER, jobId }).catch(() => {})
    })
  }
}
