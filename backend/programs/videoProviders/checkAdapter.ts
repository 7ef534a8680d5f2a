import pg from 'pg'
import type { Config } from '../../app/config/readConfig.ts'
import { openVideoProviders, type VideoContext } from '../../app/video/videoProviders.ts'
import { UsageError } from '../../kernel/commandLine.ts'
import { sampleRequest } from '../../providers/video/definitions/previewRequest.ts'
import type { Answer } from '../../providers/video/definitions/shapes.ts'
import type { CatalogueModel } from '../../tasks/contract.ts'
import type { RenderRequest, VideoProvider } from '../../tasks/videoProvider.port.ts'
import { describeCall, rehearse } from './rehearse.ts'

/** Settings of the adapters that can be rehearsed, by the name of the provider. */
const SETTINGS = { minimax: 'minimax', 'videos-api': 'videosApi', comfyui: 'comfyui' } as const
type Adapter = keyof typeof SETTINGS

export const isAdapter = (name: string): name is Adapter => name in SETTINGS

const NEVER = new AbortController().signal
/** What ComfyUI says of an uploaded picture, so that the call after it is shown, too. */
const UPLOADED = { status: 200, body: { name: 'picture.jpg', subfolder: 'kinora', type: 'input' } }

/** Answers like an engine without jobs, which refuses the new one. @param cards what the engine says of its models */
function freshEngine({ method, path }: { readonly method: string; readonly path: string }, cards?: unknown) {
  if (method !== 'GET') return path.endsWith('/upload/image') ? UPLOADED : { status: 400, body: {} }
  // An older ComfyUI answers an unknown job with an empty history and queue.
  if (path.startsWith('/history/')) return { status: 200, body: {} }
  if (path === '/queue') return { status: 200, body: { queue_running: [], queue_pending: [] } }
  return cards !== undefined && path === '/v1/models' ? { status: 200, body: cards } : { status: 404, body: {} }
}

/** Reads what an engine of the `/v1/videos` shape says of its models, on which the form depends; undefined if it does not answer. */
async function readCards({ config }: VideoContext, name: Adapter): Promise<unknown> {
  if (name !== 'videos-api' || !config.video.videosApi) return undefined
  const { baseUrl, apiKey } = config.video.videosApi
  const headers: Record<string, string> = apiKey ? { Authorization: `Bearer ${apiKey}` } : {}
  const answer = await fetch(`${baseUrl}/v1/models`, { headers, signal: AbortSignal.timeout(10_000) }).catch(
    () => undefined,
  )
  return answer?.ok ? answer.json().catch(() => undefined) : undefined
}

/** Opens an adapter for another address. It uses no database: nothing blocks its calls. */
function opener(context: VideoContext, name: Adapter) {
  const { config } = context
  const pool = Object.assign(new pg.Pool(), { query: async () => ({ rows: [{}], rowCount: 1 }) })
  return (baseUrl: string): VideoProvider => {
    const video = { ...config.video, [SETTINGS[name]]: { ...config.video[SETTINGS[name]], baseUrl } } as Config['video']
    return openVideoProviders({ ...context, pool, config: { ...config, video } }, {}).get(name)!
  }
}

/** Returns a request for a model that the adapter offers. @throws UsageError */
function requestFor(name: Adapter, models: readonly CatalogueModel[], id: string | undefined): RenderRequest {
  const offered = models.flatMap((model) =>
    model.routes.flatMap((route) => (route.provider === name ? [{ ...model, model: route.model }] : [])),
  )
  const model = id === undefined ? offered[0] : offered.find((each) => each.id === id || each.model === id)
  if (!model) throw new UsageError(id === undefined ? `${name} has no models now` : `${name} has no model ${id}`)
  return sampleRequest(model)
}

export interface AdapterCheck {
  readonly context: VideoContext
  readonly name: Adapter
  readonly models: readonly CatalogueModel[]
  readonly model: string | undefined
}

/** Returns the calls that a video would make, with the key masked. Sends no order. @throws UsageError */
export async function previewAdapter({ context, name, models, model }: AdapterCheck): Promise<string> {
  const request = requestFor(name, models, model)
  const cards = await readCards(context, name)
  const answer = (call: Parameters<typeof freshEngine>[0]) => freshEngine(call, cards)
  const { calls } = await rehearse(opener(context, name), answer, (provider) => provider.create(request))
  const { baseUrl } = context.config.video[SETTINGS[name]]!
  return (await Promise.all(calls.map((call) => describeCall(call, baseUrl)))).join('\n\n')
}

/**
 * Reads a pasted answer with the adapter. Returns whether Kinora can work with it, and what it concludes.
 * @throws UsageError
 */
export async function readWithAdapter(
  { context, name, models, model }: AdapterCheck,
  of: string,
  { status, body }: Answer,
): Promise<{ ok: boolean; conclusion: string }> {
  const own = requestFor(name, models, model)
  // ComfyUI repeats the id that it was given, which is that of another task in a pasted answer.
  const { prompt_id: id } = (body ?? {}) as { readonly prompt_id?: unknown }
  const request = typeof id === 'string' ? { ...own, taskId: id } : own
  if (of !== 'create' && of !== 'state') throw new UsageError('--of must be create or state')
  const isUpload = (path: string) => path.endsWith('/upload/image')
  const act = (provider: VideoProvider): Promise<object> =>
    of === 'create' ? provider.create(request) : provider.state(`${request.taskId}:${request.providerModel}`, NEVER)
  const reply = (call: { readonly method: string; readonly path: string }) =>
    of === 'state' || (call.method !== 'GET' && !isUpload(call.path)) ? { status, body } : freshEngine(call)
  const { outcome } = await rehearse(opener(context, name), reply, act)
  if (outcome instanceof Error) return { ok: false, conclusion: outcome.message }
  return { ok: true, conclusion: JSON.stringify(outcome) }
}
