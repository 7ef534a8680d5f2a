import { type DestinationStream, type Logger, pino } from 'pino'
import { traceFields } from './tracing.ts'

/** Patterns that match credentials, with their replacements. */
const SECRETS: readonly (readonly [RegExp, string])[] = [
  [/\b(Bearer|Basic)\s+[\w.~+/=-]+/gi, '$1 [secret]'],
  // The scheme may be any word, such as `Key` or `Token`.
  [/\b(authorization["']?\s*[=:]\s*["']?\w+\s+)[^\s"'&,;}]+/gi, '$1[secret]'],
  [
    /\b(token|password|secret|api_?key|signature|authorization|cookie)(["']?\s*[=:]\s*["']?)[^\s"'&,;}]+/gi,
    '$1$2[secret]',
  ],
  [/:\/\/[^\s/:@]*:[^\s/@]+@/g, '://[secret]@'],
]

/** Redacts email addresses, tokens and passwords in a text. */
export const redact = (text: string): string =>
  SECRETS.reduce(
    (clean, [pattern, replacement]) => clean.replace(pattern, replacement),
    text.replace(/[\w.+@-]+/g, (word) => (isAddress(word) ? '[e-mail]' : word)),
  )

function isAddress(word: string): boolean {
  const at = word.indexOf('@', 1)
  return at > 0 && word.includes('.', at + 2)
}

interface LoggedError {
  readonly type: string
  readonly message: string
  readonly code?: string
  readonly stack?: string
  readonly cause?: LoggedError
}

/** Returns the fields of an error that are safe to log. Others may contain query parameters or a response body. */
function errorFields(error: unknown, depth = 0): LoggedError {
  if (!(error instanceof Error)) return { type: typeof error, message: redact(String(error)) }
  const { name, message, stack, cause } = error
  const code = 'code' in error && typeof error.code === 'string' ? error.code : undefined
  return {
    type: name,
    message: redact(message),
    ...(code === undefined ? {} : { code }),
    ...(stack === undefined ? {} : { stack: redact(stack) }),
    ...(cause === undefined || depth > 3 ? {} : { cause: errorFields(cause, depth + 1) }),
  }
}

/** Creates a logger that writes JSON lines to standard error, synchronously so that a crash loses none. */
export function createLog(level: string, to: DestinationStream = pino.destination({ dest: 2, sync: true })): Logger {
  // Pino writes the fields of each line into the object of the mixin.
  return pino({ level, mixin: () => ({ ...traceFields() }), serializers: { err: (error) => errorFields(error) } }, to)
}
