/**
 * SQLSTATEs of connection failures, exhausted resources such as a full disk, timeouts of locks and statements, deadlocks and
 * serialization failures, server shutdowns and startups, read-only databases, and terminated sessions.
 */
const SQL_STATES = /^(08|40001|40P01|53|55P03|57014|57P0|25006|25P03)/
const SYSTEM_CODES = /^(ECONNREFUSED|ECONNRESET|EPIPE|ETIMEDOUT|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH)$/
/** Messages of driver errors, which have no codes. */
const MESSAGES =
  /connection terminated|timeout exceeded when trying to connect|query read timeout|client has encountered a connection error|timeout expired/i

/** Returns whether an error means that the database cannot work at present, rather than that it rejected a query. */
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
