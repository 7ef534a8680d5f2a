/** SQLSTATEs: no connection, too many of them, and a server that is stopping, starting or has ended the session. */
const STATES = /^(08|53300|57P0|25P03)/
const SYSTEM = new Set(['ECONNREFUSED', 'ECONNRESET', 'EPIPE', 'ETIMEDOUT', 'ENOTFOUND', 'EAI_AGAIN', 'EHOSTUNREACH'])
/** The driver has words for these, but no codes. */
const WORDS =
  /connection terminated|timeout exceeded when trying to connect|query read timeout|client has encountered a connection error|timeout expired/i

/** Whether an error says that the database is away, and nothing about what it was asked. */
export function isOutage(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  const { code, syscall } = error as { code?: unknown; syscall?: unknown }
  if (typeof code === 'string' && (STATES.test(code) || SYSTEM.has(code))) return true
  // The socket of a server of this machine.
  if (code === 'ENOENT' && syscall === 'connect') return true
  if (WORDS.test(error.message)) return true
  const inner = error instanceof AggregateError ? error.errors : [error.cause]
  return inner.some(isOutage)
}
