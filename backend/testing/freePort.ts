import { randomInt } from 'node:crypto'
import { createServer } from 'node:net'

/** Below the ports that Linux (32768) and macOS (49152) give to connections, one of which could otherwise take the port. */
const [FIRST, END] = [20_000, 32_768]

/** Returns a free port, for a server whose address must be known before it starts. */
export async function freePort(): Promise<number> {
  const port = randomInt(FIRST, END)
  return (await isFree(port)) ? port : freePort()
}

function isFree(port: number): Promise<boolean> {
  const server = createServer()
  return new Promise((resolve) => {
    server.once('error', () => resolve(false))
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)))
  })
}
