import { type PaymentProvider, PaymentProviderDown } from '../../subscriptions/paymentProvider.port.ts'

const isOff = async (): Promise<never> => {
  throw new PaymentProviderDown('payments are off')
}

/**
 * Creates the provider of an installation without payments. It knows no agreement, so those of an earlier provider stay
 * as they are.
 */
export const createNoPayments = (): PaymentProvider => ({
  name: 'off',
  createAgreement: isOff,
  createOrder: isOff,
  collectOrder: async () => undefined,
  getAgreement: async () => undefined,
  listSales: async () => [],
  listReversals: async () => [],
  getReversal: async () => undefined,
  getDispute: async () => undefined,
  refundSale: isOff,
  pauseAgreement: isOff,
  resumeAgreement: isOff,
  cancelAgreement: isOff,
  verifyWebhook: async () => undefined,
})
