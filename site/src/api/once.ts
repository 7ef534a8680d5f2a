/** Returns a function that runs `load` on the first call only, because React may run an effect twice. */
export function once(load: () => Promise<void>): () => Promise<void> {
  let result: Promise<void> | undefined
  return () => {
    result ??= load()
    return result
  }
}
