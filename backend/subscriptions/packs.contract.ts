/** A pack of credits that never expire. Prices are integer cents of US dollars. */
export interface CreditPack {
  readonly credits: number
  /** Credits on top, which are part of the same grant. */
  readonly bonus: number
  readonly priceCents: number
}

/** A credit of a pack costs more than one of the Standard plan: packs are for peaks. */
export const PACKS = {
  small: { credits: 300, bonus: 0, priceCents: 499 },
  medium: { credits: 1_000, bonus: 100, priceCents: 1_499 },
  large: { credits: 3_000, bonus: 400, priceCents: 4_499 },
} as const satisfies Readonly<Record<string, CreditPack>>

export type PackId = keyof typeof PACKS
export const PACK_IDS = Object.keys(PACKS) as PackId[]

/** Returns the credits that a pack grants. */
export const creditsOf = (id: PackId): number => PACKS[id].credits + PACKS[id].bonus
