/** A pack of credits that never expire. Prices are integers of the smallest unit: cents and fen. */
export interface CreditPack {
  readonly credits: number
  /** Credits on top, which are part of the same grant. */
  readonly bonus: number
  readonly prices: Readonly<Record<PackCurrency, number>>
}

/** Currencies of packs, the default first. Yuan are for Alipay and WeChat Pay. */
export const PACK_CURRENCIES = ['USD', 'CNY'] as const
export type PackCurrency = (typeof PACK_CURRENCIES)[number]

/** A credit of a pack costs more than one of the Standard plan: packs are for peaks. */
export const PACKS = {
  small: { credits: 300, bonus: 0, prices: { USD: 499, CNY: 3_500 } },
  medium: { credits: 1_000, bonus: 100, prices: { USD: 1_499, CNY: 10_500 } },
  large: { credits: 3_000, bonus: 400, prices: { USD: 4_499, CNY: 31_500 } },
} as const satisfies Readonly<Record<string, CreditPack>>

export type PackId = keyof typeof PACKS
export const PACK_IDS = Object.keys(PACKS) as PackId[]

/** Returns the credits that a pack grants. */
export const creditsOf = (id: PackId): number => PACKS[id].credits + PACKS[id].bonus

/** Returns the price of a pack in the currency's smallest unit. */
export const priceOf = (id: PackId, currency: PackCurrency): number => PACKS[id].prices[currency]
