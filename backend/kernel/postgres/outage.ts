/** SQLSTATEs of connection failures, too many connections, server shutdowns and startups, and terminated sessions. */
const SQL_STATES = /^(08|53300|57P0|25P03)/
const SYSTEM_CODES = /^(ECONNREFUSED|ECONNRESET|EPIPE|ETIMEDOUT|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH)$/
/** Messages of driver errors, which have no codes. */
const MESSAGES =
  /connection terminated|timeout exceeded when trying to connect|query read timeout|client has encountered a connection error|timeout expired/i

/** Returns whether an error means that the database is unreachable, rather than that it rejected a query. */
export function isOutage(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  const { code, syscall } = error as { code?: unknown; syscall?: unknown }
  if (typeof code === 'string' && (SQL_STATES.test(code) || SYSTEM_CODES.test(code))) return true
  // The Unix socket does not exist.
  if (code === 'ENOENT' && syscall === 'connect') return true
  if (MESSAGES.test(error.message)) return true
  const inner = error instanceof AggregateError ? error.errors : [error.cause]
  return inner.some(isOutage)
}
