/**
 * Returns a function that computes again only when an argument is not the same as in the last call.
 * @example const parse = remembered((text: string) => JSON.parse(text))
 */
export function remembered<Args extends readonly unknown[], Result>(
  compute: (...args: Args) => Result,
): (...args: Args) => Result {
  let last: { readonly args: Args; readonly result: Result } | undefined
  return (...args) => {
    const isSame = last?.args.length === args.length && last.args.every((each, index) => Object.is(each, args[index]))
    if (!last || !isSame) last = { args, result: compute(...args) }
    return last.result
  }
}
