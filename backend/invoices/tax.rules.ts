/** Prefixes of VAT ids of the member states of the European Union. */
const EU = 'AT BE BG CY CZ DE DK EE EL ES FI FR HR HU IE IT LT LU LV MT NL PL PT RO SE SI SK'.split(' ')

const countryOf = (vatId: string) => EU.find((prefix) => vatId.startsWith(prefix))

/** Returns whether a buyer owes the tax: seller and buyer have VAT ids of different member states. */
export function isReverseCharge(sellerVatId: string, buyerVatId: string): boolean {
  const [seller, buyer] = [countryOf(sellerVatId), countryOf(buyerVatId)]
  return seller !== undefined && buyer !== undefined && seller !== buyer
}

/** Returns the tax that an amount includes, in cents. @param rate in percent */
const taxIn = (amountCents: number, rate: number): number =>
  amountCents - Math.round((amountCents * 100) / (100 + rate))

/**
 * Returns the tax of a document that changes what is paid of a sale from one amount to another. The parts of a sale that
 * is taken back whole have the tax of the whole.
 */
export const taxOfChange = (fromCents: number, toCents: number, rate: number): number =>
  Math.abs(taxIn(toCents, rate) - taxIn(fromCents, rate))
