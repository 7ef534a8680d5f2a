import type { CreditAccountEvent } from '#backend/credits/events.ts'
import type { Stored } from '#backend/kernel/eventsourcing/eventStore.port.ts'
import type { RenderLaneEvent, VideoTaskEvent } from '#backend/tasks/events.ts'
import type { CreditInvariants } from './credits.ts'
import { Violation } from './violation.ts'

type Fact = VideoTaskEvent | RenderLaneEvent | CreditAccountEvent

interface Task {
  /** Who pays. */
  readonly userId: string
  readonly submittedAt: number
  state: 'open' | 'downloading' | 'delivered' | 'recovered' | 'failed' | 'cancelled'
  /** Whether the owner cancelled it while it was rendered, and how often the provider was asked to. */
  isStopped: boolean
  cancels: number
  credits: 'held' | 'captured' | 'released'
  /** Requests to render, and the jobs that the provider created. */
  requests: number
  jobs: number
  slot: 'none' | 'held' | 'released'
}

const UNPAID: readonly Task['state'][] = ['failed', 'cancelled', 'recovered']

/** What a task's user pays for: credits are captured after the delivery, and released only without one. */
export class TaskInvariants {
  readonly tasks = new Map<string, Task>()
  /** Whether nothing breaks, so that no call has to be repeated. */
  isCalm = false
  readonly #credits: CreditInvariants

  constructor(credits: CreditInvariants) {
    this.#credits = credits
  }

  observe(event: Stored): void {
    const { type, data } = event as unknown as Fact
    switch (type) {
      case 'VideoTaskSubmitted':
        this.#submit(data.taskId, data.payerId ?? data.userId, data.credits, event.created.getTime())
        break
      case 'VideoRenderRequested':
        this.#task(data.taskId).requests++
        break
      case 'VideoCancelRequested':
        this.#task(data.taskId).isStopped = true
        break
      case 'VideoDownloadStarted':
        this.#refuseStopped(data.taskId, 'downloaded')
        this.#task(data.taskId).state = 'downloading'
        break
      case 'VideoTaskSucceeded':
        this.#deliver(data.taskId)
        break
      case 'VideoTaskRecovered':
        this.#task(data.taskId).state = 'recovered'
        break
      case 'VideoTaskFailed':
        if (data.code !== 'cancelled') this.#refuseStopped(data.taskId, data.code)
        this.#task(data.taskId).state = data.code === 'cancelled' ? 'cancelled' : 'failed'
        break
      case 'CreditsCaptured':
        this.#settle(data.holdId, 'captured')
        break
      case 'CreditsReleased':
        this.#settle(data.holdId, 'released')
        break
      case 'RenderSlotClaimed':
        this.#task(data.taskId).slot = 'held'
        break
      case 'RenderSlotReleased':
        this.#task(data.taskId).slot = 'released'
    }
  }

  /** Called for each job that the provider creates. */
  createJob(taskId: string): void {
    const task = this.#task(taskId)
    if (++task.jobs > task.requests)
      throw new Violation('one job per attempt', `${taskId} has ${task.jobs} jobs for ${task.requests} attempts`)
  }

  /** Called for each job that the provider cancels. */
  cancelJob(taskId: string): void {
    const task = this.#task(taskId)
    if (!task.isStopped) throw new Violation('cancelled only by its owner', taskId)
    if (++task.cancels > 1 && this.isCalm)
      throw new Violation('asked once to cancel', `${task.cancels} times for ${taskId}`)
  }

  /** At rest, every task has ended and is settled. */
  atRest(quarantined: ReadonlySet<string>): void {
    for (const [id, { userId, state, credits, slot }] of this.tasks) {
      if (quarantined.has(userId)) continue
      if (state === 'open' || state === 'downloading') throw new Violation('every task ends', `${id} is ${state}`)
      if (credits === 'held') throw new Violation('every task is settled', `the credits of ${id} are held`)
      if (slot === 'held') throw new Violation('every slot is released', `${id} still holds one`)
    }
  }

  #task(id: string): Task {
    const task = this.tasks.get(id)
    if (!task) throw new Violation('no event without a task', id)
    return task
  }

  #submit(id: string, userId: string, price: number, submittedAt: number): void {
    const held = this.#credits.books.get(userId)?.holds.get(id)?.balance
    if (held !== price) throw new Violation('no task without a hold', `${id} costs ${price}, ${held ?? 0} are held`)
    const counts = { requests: 0, jobs: 0, cancels: 0, isStopped: false }
    this.tasks.set(id, { userId, submittedAt, state: 'open', credits: 'held', slot: 'none', ...counts })
  }

  /** A task that its owner stopped ends cancelled, whatever the provider answers. */
  #refuseStopped(id: string, what: string): void {
    if (this.#task(id).isStopped) throw new Violation('a cancelled task is not delivered', `${id} is ${what}`)
  }

  #deliver(id: string): void {
    const task = this.#task(id)
    if (task.credits === 'released')
      throw new Violation('a delivered video is paid for', `the credits of ${id} are back`)
    this.#refuseStopped(id, 'delivered')
    task.state = 'delivered'
  }

  #settle(id: string, credits: 'captured' | 'released'): void {
    const task = this.tasks.get(id)
    if (!task) {
      if (credits === 'captured') throw new Violation('captured only after delivered', `${id} was never submitted`)
      return
    }
    if (credits === 'captured' && task.state !== 'delivered')
      throw new Violation('captured only after delivered', `${id} is ${task.state}`)
    if (credits === 'released' && !UNPAID.includes(task.state))
      throw new Violation('released only after the end', `${id} is ${task.state}`)
    task.credits = credits
  }
}
