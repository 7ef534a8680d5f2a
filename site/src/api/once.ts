/** Returns a function that runs `load` on the first call only, because React may run an effect twice. */
export function once<A extends readonly unknown[]>(load: (...args: A) => Promise<void>): (...args: A) => Promise<void> {
  let result: Promise<void> | undefined
  return (...args) => {
    result ??= load(...args)
    return result
  }
}
