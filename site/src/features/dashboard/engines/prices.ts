/** Price and cost of a shape, as typed. */
type TypedPrice = Readonly<{ credits: string; cents: string }>

/** Returns prices and costs as numbers; undefined if one is no number. An empty cost is unknown, not zero. */
export function typedPrices(typed: readonly TypedPrice[]) {
  const prices = typed.map(({ credits, cents }) => ({
    credits: Number(credits),
    cents: cents.trim() === '' ? null : Number(cents),
  }))
  return prices.some(({ credits, cents }) => Number.isNaN(credits) || Number.isNaN(cents)) ? undefined : prices
}
