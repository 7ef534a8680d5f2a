import type { NewOrder } from '#backend/subscriptions/paymentProvider.port.ts'

/** Returns what the buyer of a pack reads on the page of a payment provider. */
export const packName = ({ credits, language }: Pick<NewOrder, 'credits' | 'language'>): string =>
  language === 'zh' ? `Kinora ${credits} 积分` : `${credits} Kinora credits`
