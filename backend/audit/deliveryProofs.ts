import type { CreditAccountEvent } from '../credits/events.ts'
import type { Stored } from '../kernel/eventsourcing/eventStore.port.ts'
import { derivedId } from '../kernel/eventsourcing/pure/eventHash.ts'
import { payerOf, VIDEO_TASK, type VideoTaskEvent, type VideoTaskSubmitted } from '../tasks/events.ts'
import { type Deviations, type Place, placeOf } from './deviation.ts'
import { OrderPrices } from './orderPrice.ts'

type Outcome = 'succeeded' | 'failed' | 'recovered' | 'abandoned'

interface Task {
  /** Owner of the account that holds the credits. */
  payer?: string
  /** The member who spent them; undefined if the owner did. */
  spentBy?: string | undefined
  /** The hold, until the task is submitted. */
  hold?: Place & { readonly credits: number }
  owner?: string
  /** Whether the credits were released before the task was submitted. */
  isReturned?: boolean
  outcome?: Outcome
  /** The event of the outcome, until the credits are settled. */
  ended?: Place
}

/**
 * Binds charges to deliveries: credits are held at the price of the order, captured if the video was delivered, and
 * released if it was not. Each step follows from earlier ones, so it is checked when its event comes.
 */
export class DeliveryProofs {
  readonly #tasks = new Map<string, Task>()
  readonly #prices = new OrderPrices()
  readonly #deviations: Deviations

  constructor(deviations: Deviations) {
    this.#deviations = deviations
  }

  takeCredit(event: Stored<CreditAccountEvent>): void {
    switch (event.type) {
      case 'CreditsHeld': {
        const { holdId, userId, parts, spentBy } = event.data
        const task = this.#task(holdId)
        if (task.payer !== undefined && task.payer !== userId)
          this.#wrong(event, `Credits were held for it before, in the account of another user, ${task.payer}.`)
        task.payer = userId
        task.spentBy = spentBy
        task.hold = { ...placeOf(event), credits: parts.reduce((sum, { amount }) => sum + amount, 0) }
        break
      }
      case 'CreditsCaptured':
      case 'CreditsReleased':
        this.#settle(event)
    }
  }

  takeTask(event: Stored<VideoTaskEvent>): void {
    const { taskId } = event.data
    const task = this.#task(taskId)
    if (event.stream !== `${VIDEO_TASK}-${taskId}`) this.#wrong(event, `It names another task: ${taskId}.`)
    if (event.type === 'VideoTaskSubmitted') this.#submit(task, event)
    else if ('userId' in event.data && event.data.userId !== task.owner)
      this.#wrong(event, `It names another user, ${event.data.userId}, than the order.`)
    switch (event.type) {
      case 'VideoTaskSucceeded':
        this.#end(task, event, 'succeeded')
        break
      case 'VideoTaskRecovered':
        if (task.outcome !== 'failed') this.#wrong(event, 'It recovers a task that had not failed.')
        task.outcome = 'recovered'
        break
      case 'VideoTaskFailed':
        this.#end(task, event, 'failed')
        break
      case 'VideoTaskAbandoned':
        this.#end(task, event, 'abandoned')
    }
  }

  #task(taskId: string): Task {
    const known = this.#tasks.get(taskId)
    if (known) return known
    const task: Task = {}
    this.#tasks.set(taskId, task)
    return task
  }

  #wrong(place: Place, wrong: string): void {
    this.#deviations.add('delivery', place, wrong)
  }

  #submit(task: Task, event: Stored<VideoTaskSubmitted>): void {
    const { userId, teamId, credits } = event.data
    const checked = this.#prices.check(event.data)
    if (typeof checked === 'string') this.#wrong(event, checked)
    const price = typeof checked === 'string' ? credits : checked
    const { payer, hold, spentBy } = task
    const wanted = payerOf(event.data)
    task.owner = userId
    delete task.hold
    if (credits !== price) this.#wrong(event, `It names ${credits} credits; the video that it orders costs ${price}.`)
    if (!hold) this.#wrong(event, 'No credits were held for it.')
    else if (hold.credits !== price)
      this.#wrong(hold, `It holds ${hold.credits} credits; the video that was ordered costs ${price}.`)
    if (hold && payer !== wanted)
      this.#wrong(event, `The credits were held for it in the account of another user, ${payer}.`)
    if (hold && spentBy !== (wanted === userId ? undefined : userId))
      this.#wrong(event, `${userId} ordered it; its credits were held for ${spentBy ?? 'the owner of the account'}.`)
    if (wanted !== userId && teamId !== derivedId('team', wanted))
      this.#wrong(event, `It is not paid by the team of ${wanted}.`)
  }

  #end(task: Task, event: Stored<VideoTaskEvent>, outcome: Outcome): void {
    if (task.outcome) this.#wrong(event, `The task had ended before: it ${OUTCOMES[task.outcome]}.`)
    if (outcome === 'succeeded' && task.isReturned)
      this.#wrong(event, 'The task succeeded, but its credits were released before it was ordered.')
    task.outcome = outcome
    task.ended = placeOf(event)
  }

  #settle(event: Stored<CreditAccountEvent<'CreditsCaptured' | 'CreditsReleased'>>): void {
    const task = this.#task(event.data.holdId)
    const { outcome, ended, owner } = task
    const settled = event.type === 'CreditsCaptured' ? 'captured' : 'released'
    delete task.ended
    // The credits of a task that was never submitted go back, for example when the account is erased.
    if (!outcome && settled === 'released' && owner === undefined) task.isReturned = true
    else if (!outcome) this.#wrong(event, `The credits were ${settled} before the task ended.`)
    else if ((outcome === 'succeeded') !== (settled === 'captured'))
      this.#wrong(
        ended ?? event,
        `The task ${OUTCOMES[outcome]}, but its credits were ${settled} (${event.stream}, revision ${event.revision}).`,
      )
  }
}

const OUTCOMES: Readonly<Record<Outcome, string>> = {
  succeeded: 'succeeded',
  failed: 'failed',
  recovered: 'failed and was recovered later',
  abandoned: 'was never submitted',
}
