import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

/** A span as the double received it. */
export interface ReceivedSpan {
  readonly traceId: string
  readonly spanId: string
  readonly parentSpanId?: string
  readonly name: string
  /** As in OTLP: 1 internal, 2 server, 3 client. */
  readonly kind: number
  readonly failed: boolean
  readonly attributes: Readonly<Record<string, string | number>>
}

interface Value {
  readonly stringValue?: string
  readonly intValue?: string | number
}
type Attribute = { readonly key: string; readonly value: Value }
type OtlpSpan = Omit<ReceivedSpan, 'attributes' | 'failed'> & {
  readonly attributes?: readonly Attribute[]
  readonly status?: { readonly code?: number }
}
interface Body {
  readonly resourceSpans: readonly {
    readonly resource: { readonly attributes: readonly Attribute[] }
    readonly scopeSpans: readonly { readonly spans: readonly OtlpSpan[] }[]
  }[]
}

/**
 * A double of a collector's OTLP/HTTP endpoint, which takes JSON: https://opentelemetry.io/docs/specs/otlp/. Answers others as a collector
 * does; `proof/real/telemetry.ts` tries a real one.
 */
export async function startOtlpDouble() {
  const spans: ReceivedSpan[] = []
  const resources: Readonly<Record<string, string | number>>[] = []
  const headers: Readonly<Record<string, unknown>>[] = []
  const bodies: string[] = []
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    if (request.method !== 'POST' || request.url !== '/v1/traces') return void response.writeHead(404).end()
    if (request.headers['content-type'] !== 'application/json') return void response.writeHead(415).end()
    const text = Buffer.concat(chunks).toString()
    // A collector refuses the whole batch for one such value.
    if (text.includes('Value":null')) return void response.writeHead(400).end()
    headers.push(request.headers)
    bodies.push(text)
    for (const { resource, scopeSpans } of (JSON.parse(text) as Body).resourceSpans) {
      resources.push(valuesOf(resource.attributes))
      for (const span of scopeSpans.flatMap((scope) => scope.spans))
        spans.push({ ...span, failed: span.status?.code === 2, attributes: valuesOf(span.attributes ?? []) })
    }
    response.writeHead(200, { 'content-type': 'application/json' }).end('{"partialSuccess":{}}')
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    spans,
    resources,
    headers,
    bodies,
    close: () => void server.close(),
  }
}

const valuesOf = (attributes: readonly Attribute[]) =>
  Object.fromEntries(
    attributes.map(({ key, value }) => [key, value.stringValue ?? Number(value.intValue ?? Number.NaN)]),
  )
