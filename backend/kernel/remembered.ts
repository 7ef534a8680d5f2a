/**
 * Returns a function that computes again only when an argument is not the same as in the last call.
 * @example const parse = remembered((text: string) => JSON.parse(text))
 */
export function remembered<Args extends readonly unknown[], Result>(
  compute: (...args: Args) => Result,
): (...args: Args) => Result {
  let last: { readonly args: Args; readonly result: Result } | undefined
  const isSame = (args: Args) =>
    last?.args.length === args.length && args.every((each, index) => Object.is(each, last!.args[index]))
  return (...args) => {
    if (!isSame(args)) last = { args, result: compute(...args) }
    return last!.result
  }
}
