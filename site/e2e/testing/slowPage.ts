import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout } from 'node:timers/promises'

/** Pause between two pieces of a page, long enough for a busy browser to paint the first. */
const PAUSE_MS = 250

/** Starts a proxy that sends each page of a site in pieces, which begin with a match of `start`, with pauses between them. */
export async function slowPage(site: string, start: RegExp): Promise<AsyncDisposable & { readonly url: string }> {
  const server = createServer((request, response) => {
    const send = async () => {
      const found = await fetch(site + request.url)
      const type = found.headers.get('content-type') ?? ''
      response.writeHead(found.status, { 'content-type': type })
      const body = Buffer.from(await found.arrayBuffer())
      const isPage = type.startsWith('text/html')
      const [first, ...others] = isPage ? String(body).split(new RegExp(`(?=${start.source})`)) : [body]
      response.write(first)
      for (const piece of others) {
        await setTimeout(PAUSE_MS)
        response.write(piece)
      }
      response.end()
    }
    send().catch((error: Error) => response.destroy(error))
  })
  await new Promise<void>((resolve) => server.listen(0, resolve))
  return {
    url: `http://localhost:${(server.address() as AddressInfo).port}`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
