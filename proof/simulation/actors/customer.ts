import { Rejection } from '#backend/kernel/eventsourcing/pure/decider.ts'
import { derivedId } from '#backend/kernel/eventsourcing/pure/eventHash.ts'
import { asOwned } from '#backend/kernel/ownership.ts'
import type { PaidTier } from '#backend/subscriptions/events.ts'
import type { Generation } from '#backend/tasks/contract.ts'
import { isIn } from '#backend/teams/teams.ts'
import { Violation } from '../invariants/violation.ts'
import type { World } from '../world.ts'
import type { Api, Cluster } from './cluster.ts'

const TIMEOUT_MS = 15_000
const ATTEMPTS = 6

const GENERATION: Generation = {
  task_type: 'text_to_video',
  model: 'MiniMax-Hailuo-02',
  prompt: 'a cat',
  duration: 6,
  resolution: '768P',
  camera_movements: [],
  prompt_optimizer: true,
}

/** A user with a browser that repeats each request until it is answered. */
export class Customer {
  readonly userId: string
  readonly accepted: string[] = []
  readonly #world: World
  readonly #cluster: Cluster
  readonly #name: string
  #requests = 0

  constructor(world: World, cluster: Cluster, name: string) {
    this.#world = world
    this.#cluster = cluster
    this.#name = name
    this.userId = world.scheduler.random.uuid()
  }

  /** @param owner of the team that pays; the customer by default */
  generate(owner?: Customer): void {
    const key = `${this.#name}-${++this.#requests}`
    const generation = owner ? { ...GENERATION, team_id: owner.#teamId } : GENERATION
    const request = { userId: this.userId, key, generation, command: (id: string) => this.#command(id) }
    this.#send(`generate ${key}`, async ({ tasks }) => {
      await tasks.generate(request).catch((error) => this.#judge(key, error))
      if (!owner) this.accepted.push(this.#taskOf(key)!)
    })
  }

  get #teamId(): string {
    return derivedId('team', this.userId)
  }

  readonly #command = (commandId: string) => ({ commandId, actor: `user:${this.userId}`, correlationId: commandId })

  formTeam(): void {
    this.#send('form a team', ({ services }) => services.teams.create(this.userId, this.#command(this.#teamId)))
  }

  /** Is invited to a team, and accepts. */
  join(owner: Customer, perMonth: number | null): void {
    const invitationId = derivedId(this.userId, 'invitation', ++this.#requests)
    const invitation = { invitationId, perMonth, expiresAt: '2999-01-01T00:00:00.000Z', replaces: [] }
    this.#send('join the team', async ({ services: { teams } }) => {
      const team = await teams.readOwn(owner.userId, owner.#teamId)
      if (isIn(team, this.userId)) return
      if (!team.invitations.some(({ id }) => id === invitationId))
        await teams.invite(team, invitation, owner.#command(derivedId('invite', invitationId)))
      const joining = { userId: this.userId, invitationId }
      await teams.join(team.id, joining, this.#command(derivedId('join', invitationId)))
    })
  }

  /** Sets what a member may spend in a month. */
  limit(member: Customer, perMonth: number | null): void {
    const context = this.#command(derivedId(this.userId, 'limit', ++this.#requests))
    this.#send(`let a member spend ${perMonth}`, async ({ services: { teams } }) =>
      teams.setLimit(await teams.readOwn(this.userId, this.#teamId), { userId: member.userId, perMonth }, context),
    )
  }

  expel(member: Customer): void {
    const context = this.#command(derivedId(this.userId, 'expel', ++this.#requests))
    this.#send('remove a member', ({ services: { teams } }) =>
      teams.removeAs(this.userId, this.#teamId, member.userId, context),
    )
  }

  /** Cancels the latest task, or deletes its video. */
  remove(): void {
    const taskId = this.accepted.at(-1)
    if (!taskId) return
    const context = { commandId: derivedId('delete', taskId), actor: `user:${this.userId}`, correlationId: taskId }
    this.#send(`delete ${taskId}`, ({ tasks }) => tasks.remove(this.#own(taskId), context))
  }

  /** Cancels the latest task, which may be running. */
  stop(): void {
    const taskId = this.accepted.at(-1)
    if (!taskId) return
    const context = { commandId: derivedId('stop', taskId), actor: `user:${this.userId}`, correlationId: taskId }
    this.#send(`stop ${taskId}`, ({ tasks }) => tasks.cancel(this.#own(taskId), context))
  }

  readonly #own = (taskId: string) => asOwned({ id: taskId, user_id: this.userId, payer_id: null })

  upgrade(tier: PaidTier): void {
    const requestId = derivedId(this.userId, tier, ++this.#requests)
    const context = { commandId: requestId, actor: `user:${this.userId}`, correlationId: requestId }
    this.#send(`upgrade to ${tier}`, async ({ subscriptions }) => {
      const upgrade = { userId: this.userId, tier, language: 'en', requestId } as const
      const { agreementId } = await subscriptions.upgrade(upgrade, context)
      this.#world.payments.model.approve(agreementId)
      this.#world.payments.sendWebhooks()
    })
  }

  cancel(atPeriodEnd: boolean): void {
    const context = { commandId: derivedId(this.userId, 'cancel', ++this.#requests), actor: 'user', correlationId: 'c' }
    this.#send('cancel the subscription', ({ subscriptions }) =>
      subscriptions.cancel({ userId: this.userId, reason: undefined, atPeriodEnd }, context),
    )
  }

  #taskOf(key: string): string | undefined {
    const row = this.#world.database.table<{ subject_id: string }>('idempotency_key').get(`${this.userId} ${key}`)
    return row?.subject_id
  }

  /** A request whose task was accepted is not refused, and a refusal leaves no task. */
  #judge(key: string, error: Error): never {
    const taskId = this.#taskOf(key)
    if (error instanceof Rejection && taskId && this.#world.tasks.tasks.has(taskId) && error.code !== 'not_found')
      this.#world.check(() => {
        throw new Violation('an accepted task is answered', `${taskId} was submitted, but answered ${error.code}`)
      })
    throw error
  }

  /** Sends a request to an API until it is answered or finally refused. */
  #send(what: string, work: (api: Api) => Promise<unknown>, attempt = 1): void {
    const { scheduler, trace } = this.#world
    const { random } = scheduler
    let isAnswered = false
    const again = (why: string) => {
      if (isAnswered) return
      isAnswered = true
      trace.line(this.#name, `${what}: ${why}`)
      if (attempt < ATTEMPTS)
        scheduler.schedule(random.between(200, 3_000), undefined, () => this.#send(what, work, attempt + 1))
    }
    const answer = (text: string) => {
      if (isAnswered) return
      isAnswered = true
      trace.line(this.#name, `${what}: ${text}`)
    }
    const call = this.#cluster.onApi(({ machine, ...api }) => {
      trace.line(machine.name, what)
      // Answers travel as long as requests; some are lost on the way.
      const reply = (deliver: () => void) => scheduler.schedule(random.between(1, 30), undefined, deliver)
      return work({ machine, ...api }).then(
        () => reply(() => (random.chance(0.1) ? again('answer lost') : answer('done'))),
        (error: Error) =>
          reply(() =>
            error instanceof Rejection && error.code !== 'unavailable' ? answer(error.code) : again(error.message),
          ),
      )
    })
    if (call) scheduler.schedule(TIMEOUT_MS, undefined, () => again('no answer'))
    else again('no API is up')
  }
}
