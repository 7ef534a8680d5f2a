import { PaymentProviderDown, type PaymentWebhook } from '#backend/subscriptions/paymentProvider.port.ts'
import type { Tills } from '#backend/subscriptions/tills.ts'
import { PaymentModel } from '#proof/money/paymentModel.ts'
import type { Latency, Scheduler } from '../time/scheduler.ts'

const CALL: Latency = { min: 20, max: 800 }

/** The payment provider of a simulation: the model of the money tests, at a distance, with webhooks that arrive twice. */
export class SimulatedPayments {
  readonly model: PaymentModel
  /** Probability that a call fails, before or after it took effect. */
  lostAnswers = 0
  deliver: (webhook: PaymentWebhook) => void = () => {}
  readonly #scheduler: Scheduler
  #webhooks = 0

  constructor(scheduler: Scheduler, calendar: () => number) {
    this.#scheduler = scheduler
    this.model = new PaymentModel(calendar)
  }

  /** The providers as the product sees them. */
  get client(): Tills {
    return new Proxy(this.model.tills('paypal'), {
      get: (tills, name: keyof Tills) => {
        const value = tills[name]
        if (typeof value !== 'function' || name === 'reaches') return value
        return (...args: unknown[]) =>
          this.#call(() => (value as (...all: unknown[]) => Promise<unknown>).apply(tills, args))
      },
    })
  }

  /** Sends the webhooks of what happened since the last call: each up to three times, late and in any order. */
  sendWebhooks(): void {
    const { random } = this.#scheduler
    for (const subject of this.model.webhooks.splice(0)) {
      const id = `WH-${++this.#webhooks}`
      const webhook = { id, type: subject.kind, objectId: id, subject }
      for (let copies = random.integer(1, 3); copies > 0; copies--)
        this.#scheduler.schedule(random.between(50, 8_000), undefined, () => this.deliver(webhook))
    }
  }

  async #call<T>(perform: () => Promise<T>): Promise<T> {
    const { random } = this.#scheduler
    const isLost = random.chance(this.lostAnswers)
    const answer = await this.#scheduler.call(CALL, () => {
      if (isLost && random.chance(0.5)) throw new PaymentProviderDown('the payment provider is down')
      const performed = perform()
      // A refusal may arrive after a while, or never.
      performed.catch(() => {})
      this.sendWebhooks()
      return performed
    })
    if (isLost) throw new PaymentProviderDown('the answer was lost')
    return answer
  }
}
