import { type PaymentProvider, PaymentProviderDown } from '../../subscriptions/paymentProvider.port.ts'

const isOff = async (): Promise<never> => {
  throw new PaymentProviderDown('payments are off')
}

/**
 * Creates the provider of an installation without payments. Calls about agreements of an earlier provider fail like an
 * outage, so that nothing is assumed about them.
 */
export const createNoPayments = (): PaymentProvider => ({
  name: 'off',
  createAgreement: isOff,
  getAgreement: isOff,
  listSales: isOff,
  listReversals: async () => [],
  pauseAgreement: isOff,
  resumeAgreement: isOff,
  cancelAgreement: isOff,
  verifyWebhook: async () => undefined,
})
