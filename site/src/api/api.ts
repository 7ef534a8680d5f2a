import { refresh } from '#backend/accounts/contract.ts'
import { API_BASE, type Endpoint, type Params } from '#backend/kernel/http/contract.ts'
import { loadTexts } from '../i18n/lateTexts.ts'
import { ApiError, problemOf } from './apiError.ts'

const TIMEOUT_MS = 30_000

/** Calls that never renew the session on a 401. Most run in the background, where renewals would multiply requests. */
const NEVER_REFRESHED = new Set([
  '/auth/me',
  '/auth/refresh',
  '/videos/tasks',
  '/videos/queue',
  '/videos/models',
  '/subscriptions/stats',
])

interface Typed {
  readonly _zod: { readonly input: unknown; readonly output: unknown }
}
type InputOf<S> = S extends Typed ? S['_zod']['input'] : undefined
type OutputOf<S> = S extends Typed ? S['_zod']['output'] : undefined

type AnyEndpoint = Omit<Endpoint, 'body' | 'query' | 'answer'> & {
  readonly body?: Typed
  readonly query?: Typed
  readonly answer?: Typed
}
export type Answer<E extends AnyEndpoint> = OutputOf<NonNullable<E['answer']>>

export interface CallOptions<E extends AnyEndpoint> {
  readonly body?: InputOf<NonNullable<E['body']>>
  readonly query?: InputOf<NonNullable<E['query']>>
  readonly params?: Params<E['path']>
  readonly headers?: Readonly<Record<string, string>>
  readonly signal?: AbortSignal
}

export interface ClientPorts {
  readonly fetch: typeof globalThis.fetch
  /** Called when the server refuses to renew the session. */
  readonly sessionLost: () => void
}

/**
 * Returns the URL path of a call, with its parameters and query filled in.
 * @example addressOf('/videos/task/:id', { id: 'a' }) // '/api/v1/videos/task/a'
 */
export function addressOf(path: string, params: object = {}, query: object = {}): string {
  const values = new Map<string, unknown>(Object.entries(params))
  const filled = path.replace(/:(\w+)/g, (_, name: string) => encodeURIComponent(String(values.get(name))))
  const search = new URLSearchParams()
  for (const [key, value] of Object.entries(query)) if (value !== undefined) search.set(key, String(value))
  return `${API_BASE}${filled}${search.size > 0 ? `?${search}` : ''}`
}

/** Creates an API client whose typed calls share one session renewal. */
export function createClient(ports: ClientPorts) {
  let renewal: Promise<boolean> | undefined

  /**
   * Renews the session. Returns false if the server refuses. Concurrent callers share one request.
   * @throws ApiError if the session may still be valid
   */
  const renewSession = (): Promise<boolean> => {
    // If closing the page aborted the request, the next page would reuse the old token, which looks like theft.
    renewal ??= request(ports.fetch, refresh.method, addressOf(refresh.path), { keepalive: true })
      .then(async (response) => {
        if (response.ok || response.status === 401) return response.ok
        throw await readProblem(response)
      })
      .finally(() => {
        renewal = undefined
      })
    return renewal
  }

  /** Sends a request. After a 401, it renews the session and retries once. */
  const authorized = async <R extends { readonly status: number }>(send: () => Promise<R>): Promise<R> => {
    const first = await send()
    if (first.status !== 401) return first
    const second = (await renewSession()) ? await send() : first
    if (second.status === 401) ports.sessionLost()
    return second
  }

  const call = async <E extends AnyEndpoint>(endpoint: E, options: CallOptions<E> = {}): Promise<Answer<E>> => {
    const address = addressOf(endpoint.path, options.params as object, options.query as object)
    const send = () => request(ports.fetch, endpoint.method, address, options)
    const renewable = endpoint.access === 'user' && !NEVER_REFRESHED.has(endpoint.path)
    const response = renewable ? await authorized(send) : await send()
    if (!response.ok) throw await readProblem(response)
    return (response.status === 204 ? undefined : await response.json()) as Answer<E>
  }

  return { call, authorized, renewSession }
}

/** Returns the error of a response, once the page has the texts to explain it. */
async function readProblem(response: Response): Promise<ApiError> {
  const [body] = await Promise.all([response.json().catch(() => undefined), loadTexts()])
  return problemOf(response.status, body, response.headers.get('retry-after'))
}

/** Returns a correlation ID header. Insecure contexts lack `randomUUID` and send none. */
const correlation = (): Record<string, string> =>
  'randomUUID' in crypto ? { 'x-correlation-id': crypto.randomUUID() } : {}

/** Returns the answer to a request that `features/shell/ask.js` has sent, once. */
function takeAsked(method: string, address: string): Promise<Response> | undefined {
  const { asked } = globalThis as { readonly asked?: Map<string, Promise<Response>> }
  const answer = method === 'GET' ? asked?.get(address) : undefined
  asked?.delete(address)
  return answer
}

async function request(
  fetch: ClientPorts['fetch'],
  method: string,
  address: string,
  options: Pick<RequestInit, 'signal' | 'keepalive'> & { body?: unknown; headers?: Readonly<Record<string, string>> },
): Promise<Response> {
  const timeout = AbortSignal.timeout(TIMEOUT_MS)
  const sent = options.body === undefined ? {} : { body: JSON.stringify(options.body) }
  const type: Record<string, string> = options.body === undefined ? {} : { 'content-type': 'application/json' }
  try {
    return await (takeAsked(method, address) ??
      fetch(address, {
        method,
        credentials: 'same-origin',
        headers: { accept: 'application/json', ...correlation(), ...type, ...options.headers },
        keepalive: options.keepalive ?? false,
        signal: options.signal ? AbortSignal.any([options.signal, timeout]) : timeout,
        ...sent,
      }))
  } catch (error) {
    if (options.signal?.aborted) throw error
    throw new ApiError(0, timeout.aborted ? 'timeout' : 'network')
  }
}

let onSessionLost = () => {}
/** Sets the handler for a session that the server refuses to renew. */
export function handleSessionLost(handler: () => void): void {
  onSessionLost = handler
}

export const { call, authorized, renewSession } = createClient({
  fetch: (...args) => globalThis.fetch(...args),
  sessionLost: () => onSessionLost(),
})
