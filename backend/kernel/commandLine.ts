import { type ParseArgsConfig, parseArgs } from 'node:util'
import { replaceFetchDispatcher } from './http/outgoing/globalFetch.ts'

/** Thrown for an invalid command line. The message names the argument. */
export class UsageError extends Error {
  override name = 'UsageError'
}

/** Thrown for `--help`. */
class HelpAsked extends Error {}

export const text = { type: 'string' } as const
export const flag = { type: 'boolean' } as const

type Options = NonNullable<ParseArgsConfig['options']>

/** Stops the program with its usage if the arguments ask for it. @throws HelpAsked */
export function answerHelp(args: readonly string[]): void {
  if (args.includes('--help') || args.includes('-h')) throw new HelpAsked()
}

/**
 * Parses options strictly: unknown and repeated options, and positional arguments, are errors.
 * @throws UsageError, HelpAsked
 */
export function parseOptions<const T extends Options>(args: readonly string[], options: T) {
  answerHelp(args)
  try {
    const { values, tokens } = parseArgs({ args: joinNegative(args), options, tokens: true })
    const names = tokens.flatMap((token) => (token.kind === 'option' ? [token.name] : []))
    const repeated = names.find((name, index) => names.indexOf(name) < index)
    if (repeated) throw new Error(`--${repeated} is given twice`)
    return values
  } catch (error) {
    throw new UsageError((error as Error).message)
  }
}

/** Returns the e-mail address that is the only argument. @throws UsageError, HelpAsked */
export function readAddress(args: readonly string[]): string {
  answerHelp(args)
  const [address, ...others] = args
  if (!address || others.length > 0) throw new UsageError('One e-mail address is needed')
  return address
}

/** Turns `--amount -100` into `--amount=-100`, because the parser takes a leading dash for an option. */
const joinNegative = (args: readonly string[]) =>
  args.flatMap((arg, i) => {
    const isNegative = (at: number) => /^-\d+$/.test(args[at] ?? '') && /^--[^=]+$/.test(args[at - 1] ?? '')
    if (isNegative(i)) return []
    return isNegative(i + 1) ? [`${arg}=${args[i + 1]}`] : [arg]
  })

interface Program {
  readonly usage: string
  /** Expected error classes, reported by their message without a stack trace. */
  readonly expected: readonly (new (
    ...args: never[]
  ) => Error)[]
  readonly print: (text: string) => void
  /** Prints errors (default: `print`). */
  readonly printError?: (text: string) => void
}

/** Returns the line of an error that says that a disk is full; undefined if it says no such thing. */
const diskFull = ({ message = '' }: Error) => message.split('\n').find((line) => DISK_FULL.test(line))

/** As Node.js and PostgreSQL say it. */
const DISK_FULL = /ENOSPC|EDQUOT|No space left on device|Disk quota exceeded/

/**
 * Runs a program and returns its exit code: the result of `work`, 1 for an expected error or a full disk, or 2 for an
 * invalid command line, with the usage printed. `--help` prints the usage and returns 0.
 * @throws any other error
 */
export async function runProgram(
  { usage, expected, print, printError = print }: Program,
  work: () => Promise<number>,
): Promise<number> {
  replaceFetchDispatcher()
  try {
    return await work()
  } catch (error) {
    if (error instanceof HelpAsked) {
      print(usage)
      return 0
    }
    if (error instanceof UsageError) {
      printError(`${error.message}\n\n${usage}`)
      return 2
    }
    // Errors from another thread keep their name, but not their class.
    const isExpected = expected.some(({ name }) => (error as Error).name === name)
    const full = isExpected ? undefined : diskFull(error as Error)
    if (!isExpected && full === undefined) throw error
    printError(full === undefined ? (error as Error).message : `A disk is full (${full}). Make room and try again.`)
    return 1
  }
}
