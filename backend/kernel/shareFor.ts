/**
 * Shares the outcome of a check, or its error, with the callers of the next `ms` milliseconds.
 * @example const writable = shareFor(2_000, () => store.probe())
 */
export function shareFor<T>(ms: number, check: () => Promise<T>): () => Promise<T> {
  let last: { readonly at: number; readonly outcome: Promise<T> } | undefined
  return () => {
    if (!last || performance.now() - last.at >= ms) last = { at: performance.now(), outcome: check() }
    return last.outcome
  }
}
