interface Ending {
  readonly exit?: (code: number) => void
  readonly print?: (error: unknown) => void
}

/**
 * Ends the process with a code once it has stopped, or with 1 if it cannot stop. As an uncaught error, a rejection would let
 * the supervisor start it again.
 * @example await exitAfter(kinora.stop(), 0)
 */
export const exitAfter = (
  stopped: Promise<void>,
  code: number,
  { exit = process.exit, print = console.error }: Ending = {},
): Promise<void> =>
  stopped.then(
    () => exit(code),
    (error) => {
      print(error)
      exit(1)
    },
  )
