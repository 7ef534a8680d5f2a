import { type ParseArgsConfig, parseArgs } from 'node:util'

/** The command line is wrong; the message says what, and how it should be. */
export class UsageError extends Error {
  override name = 'UsageError'
}

export const USAGE = `Usage: npm run audit -- <command> [options]

  verify     [--heads <archive>] [--json]
             replays every account and compares chains, postings, grants and read models;
             --heads: also with the heads of an earlier export
  statement  --user <id or e-mail> [--from <time>] [--to <time>] [--at <time>] [--format table|csv|json]
             the balance lot by lot at an instant (now), and every movement of a time
  explain    --task <id> [--json]
             the life of one charge, event by event
  export     --out <file> [--key <file>]
             a signed archive of the ledger (docs/ledger-archive.md); --key: an Ed25519 private key in PEM,
             otherwise one is made once and kept in DATA_DIR

The ledger is found as Kinora finds it: DATA_DIR or DATABASE_URL, and EVENTSTORE_URL. Nothing in it is changed.
Times are dates (2026-01-31, UTC) or instants (2026-01-31T12:00:00Z). Exit code: 0 all is well, 1 deviations or a
fault, 2 the command line is wrong.`

const text = { type: 'string' } as const
const flag = { type: 'boolean' } as const

const OPTIONS = {
  verify: { heads: text, json: flag },
  statement: { user: text, from: text, to: text, at: text, format: text },
  explain: { task: text, json: flag },
  export: { out: text, key: text },
} as const satisfies Record<string, NonNullable<ParseArgsConfig['options']>>

const REQUIRED = { verify: [], statement: ['user'], explain: ['task'], export: ['out'] } as const
const FORMATS = ['table', 'csv', 'json'] as const

export type Command =
  | { readonly name: 'help' }
  | { readonly name: 'verify'; readonly heads: string | undefined; readonly json: boolean }
  | {
      readonly name: 'statement'
      readonly user: string
      /** Instants as ISO strings. */
      readonly from: string | undefined
      readonly to: string | undefined
      readonly at: string | undefined
      readonly format: (typeof FORMATS)[number]
    }
  | { readonly name: 'explain'; readonly task: string; readonly json: boolean }
  | { readonly name: 'export'; readonly out: string; readonly key: string | undefined }

/** Reads the command line. @throws UsageError naming the argument that is wrong */
export function readCommand(args: readonly string[]): Command {
  const [name = '', ...rest] = args
  if (name === '--help' || name === '-h' || rest.includes('--help')) return { name: 'help' }
  if (!isCommand(name))
    throw new UsageError(name === '' ? 'A command is missing.' : `"${name}" is no command of the audit.`)
  const given = parsed(name, rest)
  for (const required of REQUIRED[name])
    if (!given[required]) throw new UsageError(`${name}: --${required} is missing.`)
  const { json, heads, user, from, to, at, format = 'table', task, out, key } = given as Record<string, string>
  switch (name) {
    case 'verify':
      return { name, heads, json: Boolean(json) }
    case 'statement': {
      if (!FORMATS.includes(format as never))
        throw new UsageError(`--format: "${format}" is none of ${FORMATS.join(', ')}.`)
      const times = { from: instant('from', from), to: instant('to', to), at: instant('at', at) }
      return { name, user: user!, ...times, format: format as (typeof FORMATS)[number] }
    }
    case 'explain':
      if (!/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(task!))
        throw new UsageError(`--task: "${task}" is no id of a task.`)
      return { name, task: task!.toLowerCase(), json: Boolean(json) }
    case 'export':
      return { name, out: out!, key }
  }
}

const isCommand = (name: string): name is keyof typeof OPTIONS => Object.hasOwn(OPTIONS, name)

function parsed(name: keyof typeof OPTIONS, args: string[]): Record<string, unknown> {
  try {
    return parseArgs({ args, options: OPTIONS[name], strict: true }).values
  } catch (error) {
    throw new UsageError(`${name}: ${(error as Error).message}`)
  }
}

function instant(name: string, value: string | undefined): string | undefined {
  if (value === undefined) return undefined
  const isTime = /^\d{4}-\d\d-\d\d(T\d\d:\d\d(:\d\d(\.\d{1,3})?)?(Z|[+-]\d\d:\d\d))?$/.test(value)
  const time = isTime ? new Date(value) : undefined
  // A day that the month does not have would otherwise pass as one of the next.
  if (
    !time ||
    Number.isNaN(time.getTime()) ||
    new Date(`${value.slice(0, 10)}Z`).getUTCDate() !== Number(value.slice(8, 10))
  )
    throw new UsageError(`--${name}: "${value}" is no date and no instant.`)
  return time.toISOString()
}
