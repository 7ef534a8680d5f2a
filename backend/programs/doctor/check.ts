/** A service that the doctor examines. */
export interface Check {
  readonly name: string
  /** Returns what is in order. @throws Error with what is not */
  readonly examine: () => Promise<string>
  /** What to do if it fails; missing where the errors say so. */
  readonly advice?: string
}

/** Time for one check. */
const TIMEOUT_MS = 30_000

/** Runs checks, each independently of the others, and prints a line for each, which begins with `ok` or `failed`. Returns whether all succeeded. */
export async function runChecks(checks: readonly Check[], print: (text: string) => void): Promise<boolean> {
  const results = await Promise.all(
    checks.map(async ({ name, examine, advice }) => {
      try {
        return { ok: true, text: `ok ${name}: ${await inTime(examine())}` }
      } catch (error) {
        return {
          ok: false,
          text: `failed ${name}: ${[onOneLine(reasonOf(error)), advice].filter(Boolean).join('. ')}`,
        }
      }
    }),
  )
  for (const { text } of results) print(text)
  return results.every(({ ok }) => ok)
}

const onOneLine = (text: string) =>
  text
    .split('\n')
    .map((line) => line.trim())
    .join(' ')

function inTime<T>(work: Promise<T>): Promise<T> {
  const late = new Promise<never>((_, reject) => {
    setTimeout(() => reject(new Error(`no answer in ${TIMEOUT_MS / 1000} s`)), TIMEOUT_MS).unref()
  })
  return Promise.race([work, late])
}

/** Returns a message with that of its cause, also of errors that only carry others, as of a connection to several addresses. */
function reasonOf(error: unknown): string {
  const { message, cause, errors, code } = error as Error & { errors?: Error[]; code?: string }
  const inner = cause instanceof Error ? cause : errors?.[0]
  const reason = message || code || ''
  const rest = inner && !reason.includes(inner.message) ? inner.message : ''
  return [reason, rest].filter(Boolean).join(': ')
}
