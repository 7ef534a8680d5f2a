import { Rejection } from '../kernel/eventsourcing/pure/decider.ts'
import { PaymentProviderDown } from './paymentProvider.port.ts'

/** Calls the provider. @throws Rejection unavailable, if the provider is down */
export async function callProvider<T>(call: () => Promise<T>): Promise<T> {
  try {
    return await call()
  } catch (error) {
    if (!(error instanceof PaymentProviderDown)) throw error
    throw new Rejection('unavailable', 'The payment provider does not answer. Please try again in a moment.', {
      retryAfter: 10,
    })
  }
}
