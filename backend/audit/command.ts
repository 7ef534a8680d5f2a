import { answerHelp, flag, parseOptions, text, UsageError } from '../kernel/commandLine.ts'

export const USAGE = `Usage: npm run audit -- <command> [options]

  verify     [--heads <folder, head or archive>] [--signer <fingerprint>] [--operator-keys <file>] [--files]
             [--with-provider] [--json]
             replays every account and checks chains, postings, grants, deliveries and read models;
             --heads: also compares with heads that were kept outside the database (HEADS_TO), or with those of an
             earlier export; --signer: fingerprint of their key (default: AUDIT_KEY_FILE, or the key in DATA_DIR)
             --operator-keys: public keys of the operators (default: operators.json in DATA_DIR)
             --files: also reads every delivered video and compares its hash
             --with-provider: also asks the payment provider about every sale
  statement  --user <id or e-mail> [--from <time>] [--to <time>] [--at <time>] [--format table|csv|json]
             the balance lot by lot at an instant (default: now), and every movement of a period
  explain    --task <id> [--json]
             the history of one charge, event by event
  invoices   every invoice and credit note as CSV, decrypted with ENCRYPTION_KEY
  export     --out <file> [--key <file>]
             a signed archive of the ledger (docs/ledger-archive.md); --key: an Ed25519 private key in PEM
             (default: AUDIT_KEY_FILE, or one that is generated once and kept in DATA_DIR)

DATA_DIR or DATABASE_URL, and EVENTSTORE_URL name the ledger, as they do for Kinora. It is only read.
Times are dates (2026-01-31, UTC) or instants (2026-01-31T12:00:00Z); the date of --to is included. Exit code: 0 no
deviation, 1 deviations or a fault, 2 wrong command line, 3 no deviation in what was compared, but a read model is behind
or being rebuilt, or no key of heads or operators is known.`

const OPTIONS = {
  verify: { heads: text, signer: text, 'operator-keys': text, files: flag, 'with-provider': flag, json: flag },
  statement: { user: text, from: text, to: text, at: text, format: text },
  explain: { task: text, json: flag },
  invoices: {},
  export: { out: text, key: text },
} as const

const REQUIRED = { verify: [], statement: ['user'], explain: ['task'], invoices: [], export: ['out'] } as const
const FORMATS = ['table', 'csv', 'json'] as const

/** A parsed command line. Instants are ISO strings. */
export type Command = ReturnType<typeof readCommand>

/** Parses the command line. @throws UsageError naming the wrong argument, HelpAsked */
export function readCommand(args: readonly string[]) {
  const [name = '', ...rest] = args
  answerHelp(args)
  if (!isCommand(name))
    throw new UsageError(name === '' ? 'A command is missing.' : `"${name}" is not a command of the audit.`)
  const given: Record<string, unknown> = parseOptions(rest, OPTIONS[name])
  for (const required of REQUIRED[name])
    if (!given[required]) throw new UsageError(`${name}: --${required} is missing.`)
  const {
    json,
    heads,
    signer,
    'operator-keys': operatorKeys,
    files,
    'with-provider': withProvider,
    user,
    from,
    to,
    at,
    format = 'table',
    task,
    out,
    key,
  } = given as Record<string, string>
  switch (name) {
    case 'verify':
      return {
        name,
        heads,
        signer,
        operatorKeys,
        files: Boolean(files),
        withProvider: Boolean(withProvider),
        json: Boolean(json),
      }
    case 'statement': {
      if (!FORMATS.includes(format as never))
        throw new UsageError(`--format: "${format}" is not one of ${FORMATS.join(', ')}.`)
      const times = { from: instant('from', from), to: lastInstant('to', to), at: instant('at', at) }
      return { name, user: user!, ...times, format: format as (typeof FORMATS)[number] }
    }
    case 'explain':
      if (!/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(task!))
        throw new UsageError(`--task: "${task}" is not a task id.`)
      return { name, task: task!.toLowerCase(), json: Boolean(json) }
    case 'invoices':
      return { name }
    case 'export':
      return { name, out: out!, key }
  }
}

const isCommand = (name: string): name is keyof typeof OPTIONS => Object.hasOwn(OPTIONS, name)

function instant(name: string, value: string | undefined): string | undefined {
  if (value === undefined) return undefined
  const isTime = /^\d{4}-\d\d-\d\d(T\d\d:\d\d(:\d\d(\.\d{1,3})?)?(Z|[+-]\d\d:\d\d))?$/.test(value)
  const time = isTime ? new Date(value) : undefined
  // `new Date` accepts 30 February as 2 March.
  const isDay = new Date(`${value.slice(0, 10)}Z`).getUTCDate() === Number(value.slice(8, 10))
  if (!time || Number.isNaN(time.getTime()) || !isDay)
    throw new UsageError(`--${name}: "${value}" is neither a date nor an instant.`)
  return time.toISOString()
}

/** Parses the end of a period. A date includes its whole day. */
function lastInstant(name: string, value: string | undefined): string | undefined {
  const parsed = instant(name, value)
  return value?.length === 'YYYY-MM-DD'.length ? `${value}T23:59:59.999Z` : parsed
}
