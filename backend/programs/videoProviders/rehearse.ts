import { createServer, type IncomingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { VideoProvider } from '../../tasks/videoProvider.port.ts'

/** A call that an adapter made in a rehearsal. */
interface Call {
  readonly method: string
  readonly path: string
  readonly headers: IncomingHttpHeaders
  readonly body: Buffer
}

interface Reply {
  readonly status: number
  readonly body: unknown
}

const MASK = '••••'
/** Texts that are longer, such as pictures, are cut in a preview. */
const MAX_TEXT = 200

/**
 * Runs an adapter against a local server that stands in for its engine, and returns the calls that it makes. Nothing
 * leaves this machine.
 * @param open opens the adapter for an address
 * @param reply answers a call
 */
export async function rehearse<T>(
  open: (url: string) => VideoProvider,
  reply: (call: Call) => Reply,
  act: (provider: VideoProvider) => Promise<T>,
): Promise<{ readonly calls: readonly Call[]; readonly outcome: T | Error }> {
  const calls: Call[] = []
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    const { method = '', url = '', headers } = request
    const call = { method, path: url, headers, body: Buffer.concat(chunks) }
    calls.push(call)
    const { status, body } = reply(call)
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const provider = open(`http://127.0.0.1:${(server.address() as AddressInfo).port}`)
  try {
    const outcome = await act(provider).catch((error: Error) => error)
    return { calls, outcome }
  } finally {
    await provider.close()
    server.closeAllConnections()
    server.close()
  }
}

/** Returns a call as text, for the engine's own address, with every credential masked. */
export async function describeCall({ method, path, headers, body }: Call, baseUrl: string): Promise<string> {
  const { host: _, connection, 'content-length': __, 'content-type': type = '', ...others } = headers
  const ofClient = ['accept', 'accept-language', 'accept-encoding', 'sec-fetch-mode', 'user-agent', 'transfer-encoding']
  const own = Object.entries(others).filter(([name]) => !ofClient.includes(name))
  const lines = own.map(([name, value]) => `${name}: ${mask(String(value))}`)
  const text = body.length > 0 ? await describeBody(type, body) : ''
  return [`${method} ${baseUrl}${path}`, ...lines, ...(type ? [`content-type: ${type.split(';')[0]}`] : []), '', text]
    .join('\n')
    .trimEnd()
}

/** Keeps the scheme of a credential. */
const mask = (value: string) => [...value.split(' ').slice(0, -1), MASK].join(' ')

async function describeBody(type: string, body: Buffer): Promise<string> {
  if (!type.startsWith('multipart/')) return JSON.stringify(JSON.parse(body.toString()), cut, 2)
  const form = await new Response(new Uint8Array(body), { headers: { 'content-type': type } }).formData()
  return [...form]
    .map(([name, value]) => `${name}: ${typeof value === 'string' ? value : `(${value.size} bytes)`}`)
    .join('\n')
}

const cut = (_: string, value: unknown) =>
  typeof value === 'string' && value.length > MAX_TEXT ? `${value.slice(0, MAX_TEXT)}…` : value
