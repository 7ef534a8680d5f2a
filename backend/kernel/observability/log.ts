import { type DestinationStream, type Logger, pino } from 'pino'

/** What must not stand in a log: addresses of people, and what opens a door. */
const SECRETS: readonly (readonly [RegExp, string])[] = [
  [/[\w.+-]+@[\w-]+(\.[\w-]+)+/g, '[e-mail]'],
  [/\b(Bearer|Basic)\s+[\w.~+/=-]+/gi, '$1 [secret]'],
  [
    /\b(token|password|secret|api_?key|signature|authorization|cookie)(["']?\s*[=:]\s*["']?)[^\s"'&,;}]+/gi,
    '$1$2[secret]',
  ],
  [/:\/\/[^\s/:@]+:[^\s/@]+@/g, '://[secret]@'],
]

/** A text without addresses of people, tokens and passwords. */
export const scrubbed = (text: string): string =>
  SECRETS.reduce((clean, [pattern, instead]) => clean.replace(pattern, instead), text)

interface LoggedError {
  readonly type: string
  readonly message: string
  readonly code?: string
  readonly stack?: string
  readonly cause?: LoggedError
}

/**
 * Of an error only what tells a programmer where to look: other fields of it may hold a statement's parameters or somebody
 * else's answer.
 */
export function errorFields(error: unknown, depth = 0): LoggedError {
  if (!(error instanceof Error)) return { type: typeof error, message: scrubbed(String(error)) }
  const { name, message, stack, cause } = error
  const code = 'code' in error && typeof error.code === 'string' ? error.code : undefined
  return {
    type: name,
    message: scrubbed(message),
    ...(code === undefined ? {} : { code }),
    ...(stack === undefined ? {} : { stack: scrubbed(stack) }),
    ...(cause === undefined || depth > 3 ? {} : { cause: errorFields(cause, depth + 1) }),
  }
}

/** Lines of JSON on standard error; those of a crash are not lost, since each is written at once. */
export function createLog(level: string, to: DestinationStream = pino.destination({ dest: 2, sync: true })): Logger {
  return pino({ level, serializers: { err: (error) => errorFields(error) } }, to)
}
