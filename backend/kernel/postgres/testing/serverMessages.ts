/**
 * Splits what a PostgreSQL server sends into messages: a type of one byte, the length without the type, and the content
 * (https://www.postgresql.org/docs/18/protocol-overview.html). Returns a function that takes bytes as they arrive, and
 * returns the messages that are complete.
 */
export function splitMessages(): (bytes: Buffer) => Buffer[] {
  let rest = Buffer.alloc(0)
  return (bytes) => {
    rest = Buffer.concat([rest, bytes])
    const messages: Buffer[] = []
    while (rest.length >= 5 && rest.length > rest.readUInt32BE(1)) {
      const end = 1 + rest.readUInt32BE(1)
      messages.push(rest.subarray(0, end))
      rest = rest.subarray(end)
    }
    return messages
  }
}
