import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout } from 'node:timers/promises'

/** Starts a proxy that sends each page of a site up to `text`, and half a second later the rest. */
export async function slowPage(site: string, text: string): Promise<AsyncDisposable & { readonly url: string }> {
  const server = createServer((request, response) => {
    const send = async () => {
      const found = await fetch(site + request.url)
      const type = found.headers.get('content-type') ?? ''
      const body = Buffer.from(await found.arrayBuffer())
      const cut = type.startsWith('text/html') ? body.indexOf(text) : 0
      response.writeHead(found.status, { 'content-type': type })
      response.write(body.subarray(0, cut))
      if (cut > 0) await setTimeout(500)
      response.end(body.subarray(cut))
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
