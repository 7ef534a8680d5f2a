const MOST_TAKES = 4

/** Returns how many takes may be ordered, from 1 to 4. Unknown figures (null) do not limit; the server checks them. */
export function allowedTakes(places: number | null, credits: number | null, cost: number): number {
  const affordable = credits === null || cost <= 0 ? MOST_TAKES : Math.floor(credits / cost)
  return Math.max(1, Math.min(MOST_TAKES, places ?? MOST_TAKES, affordable))
}
