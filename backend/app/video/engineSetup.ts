import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { Rejection } from '../../kernel/eventsourcing/pure/decider.ts'
import { uuid7 } from '../../kernel/eventsourcing/uuid7.ts'
import { writeAtomically } from '../../kernel/media/atomicFile.ts'
import { trimEnd } from '../../kernel/trimEnd.ts'
import type { EngineSetup } from '../../operators/engineSetup.port.ts'
import type { Engine } from '../../operators/engines.contract.ts'
import { httpCall } from '../../providers/video/httpCall.ts'
import { creditsOf, PACK_IDS, PACKS } from '../../subscriptions/packs.contract.ts'
import { PLANS } from '../../subscriptions/plans.contract.ts'
import { type CatalogueModel, isUnpriced, JOIN, priceOf, type Shape, secondsOf } from '../../tasks/contract.ts'
import type { VideoProvider } from '../../tasks/videoProvider.port.ts'
import type { Adapters } from '../adapters.ts'
import { headerOf } from '../config/videoConfig.ts'
import type { Context } from '../context.ts'
import { rendersHere } from './capacity.ts'
import { openConnected } from './videoProviders.ts'

/** Where engines usually are: on this machine, beside it in Compose, or on the host of the container. */
const HOSTS = ['127.0.0.1', 'comfyui', 'host.docker.internal']
const USUAL = { comfyui: [8188], 'videos-api': [8000, 8091, 30000] } as const
const PROBE_MS = 2_000
const CHECK_MS = 15_000
const FETCH_MS = 120_000

const refused = (detail: string) => new Rejection('engine_refused', detail)

/**
 * Creates the wizard that connects engines, tries them, and sets the prices of their models. See
 * docs/decisions/0095-engines-on-the-board.md.
 */
export function createEngineSetup(context: Context, adapters: Adapters): EngineSetup {
  const { videos, definitions, catalogue, engines: settings } = adapters
  const { config } = context
  const variableOf = (name: string) =>
    name === 'minimax' ? 'MINIMAX_API_KEY' : definitions.all().get(name)?.key.variable

  const engineOf = async (provider: VideoProvider, signal: AbortSignal): Promise<Engine> => {
    const { name } = provider
    const variable = variableOf(name)
    const own = settings.current().get(variable ?? name)
    const server = (['videos-api', 'comfyui'] as const).find((kind) => kind === name)
    const check = await provider.check(signal).catch((error: Error) => ({ ok: false, detail: error.message }))
    return {
      ...{ name, ...check, kind: server ?? ('hosted' as const) },
      by: own ? ('board' as const) : ('settings' as const),
      url: server ? (own?.url ?? config.video[server === 'comfyui' ? 'comfyui' : 'videosApi']?.baseUrl ?? null) : null,
    }
  }

  return {
    async list(signal) {
      const engines = [...videos.values()].filter(({ name }) => name !== JOIN && name !== 'demo')
      const hosted = [...definitions.all().values()].map(({ name, key }) => ({ name, variable: key.variable }))
      return {
        demo: rendersHere(videos),
        engines: await Promise.all(engines.map((engine) => engineOf(engine, signal))),
        hosted: [{ name: 'minimax', variable: 'MINIMAX_API_KEY' }, ...hosted],
        models: catalogue.offered().map(pricedOf),
        credit_cents: leastCreditCents(),
      }
    },

    ...createConnections(context, adapters, variableOf),
    ...createTests(context, adapters),

    async price({ model: id, prices }) {
      const model = catalogue.find(id)
      if (!model) throw new Rejection('not_found', 'This model is not offered.')
      if (prices.length !== model.shapes.length) throw refused('The model has changed. Please load the page again.')
      const { version: _, ...file } = model
      const shapes = model.shapes.map((shape, at) => withPrice(shape, prices[at]!))
      const folder = path.join(config.dataDir, 'models')
      await mkdir(folder, { recursive: true })
      const text = `${JSON.stringify({ ...file, shapes }, null, 2)}\n`
      await writeAtomically(path.join(folder, `${encodeURIComponent(id)}.json`), (part) => writeFile(part, text))
      await catalogue.refresh()
    },
  }
}

/** Finds, connects and forgets engines. */
function createConnections(
  context: Context,
  { definitions, catalogue, engines: settings }: Adapters,
  variableOf: (name: string) => string | undefined,
): Pick<EngineSetup, 'find' | 'connect' | 'disconnect'> {
  const known = (variable: string) =>
    variable === 'MINIMAX_API_KEY' || [...definitions.all().values()].some(({ key }) => key.variable === variable)
  return {
    async find(url) {
      const asked = url ? { comfyui: [baseOf(url)], 'videos-api': [baseOf(url)] } : usualAddresses()
      const probes = (['comfyui', 'videos-api'] as const).flatMap((kind) =>
        asked[kind].map(async (address) => {
          const detail = await probe(kind, address)
          return detail === undefined ? [] : [{ kind, url: address, detail }]
        }),
      )
      return { found: (await Promise.all(probes)).flat() }
    },

    async connect({ engine: kind, address: url, variable, key }) {
      const name = kind === 'hosted' ? variable : kind
      if (!name || (kind === 'hosted' ? !key || !known(name) : !url)) throw refused('An address or a key is missing.')
      const setting = { ...(url && { url: baseOf(url) }), ...(key && { key }) }
      if (kind !== 'hosted' || name === 'MINIMAX_API_KEY') {
        // Only an engine that answers is stored.
        const tried = openConnected(name, setting, context, {})
        const { ok, detail } = await tried!.check(AbortSignal.timeout(CHECK_MS)).finally(() => tried!.close())
        // A ComfyUI server without a graph yet answers, and is set up afterwards.
        if (!ok && !(kind === 'comfyui' && (await probe(kind, setting.url ?? '', key)) !== undefined))
          throw refused(detail)
      }
      await settings.set(name, setting)
      await catalogue.refresh()
      return name
    },

    async disconnect(name) {
      const isRemoved = (await settings.remove(variableOf(name) ?? name)) || (await settings.remove(name))
      if (!isRemoved) throw new Rejection('not_found', 'This engine was not connected on the board.')
      await catalogue.refresh()
    },
  }
}

/** Makes test clips. */
function createTests(
  context: Context,
  { videos, catalogue }: Adapters,
): Pick<EngineSetup, 'test' | 'testState' | 'withClip'> {
  /** Returns the provider of a test and its job. */
  const jobOf = (id: string) => {
    const [name = '', jobId] = Buffer.from(id, 'base64url').toString().split(' ')
    const provider = videos.get(name)
    if (!provider || !jobId) throw new Rejection('not_found', 'There is no such test clip.')
    return { provider, jobId }
  }

  return {
    async test({ model: id, prompt }) {
      const model = catalogue.offered().find((one) => one.id === id)
      const [route] = model?.routes ?? []
      const provider = route && videos.get(route.provider)
      if (!model || !provider) throw new Rejection('not_found', 'This model is not offered.')
      const shape = model.shapes.find(({ taskTypes }) => taskTypes.includes('text_to_video'))
      if (!shape) throw refused('This model makes videos of pictures only.')
      if ((await provider.acquire()) > 0) throw refused('The engine is busy. Please try again in a moment.')
      const answer = await provider.create({
        ...{ taskId: uuid7(), taskType: 'text_to_video', model: id, prompt, providerModel: route.model },
        ...{ resolution: shape.resolutions[0]!, duration: secondsOf(shape)[0]!, promptOptimizer: false },
        ...{ cameraMovements: [], firstFrame: undefined, lastFrame: undefined, references: [] },
        ...{ aspectRatio: undefined, seed: undefined, negativePrompt: undefined, sound: undefined },
      })
      if (answer.kind !== 'accepted') throw refused(answer.detail)
      return Buffer.from(`${provider.name} ${answer.jobId}`).toString('base64url')
    },

    async testState(id) {
      const { provider, jobId } = jobOf(id)
      const state = await provider.state(jobId, AbortSignal.timeout(CHECK_MS))
      if (state.kind === 'unknown') throw new Rejection('not_found', 'The engine does not know this clip.')
      if (state.kind === 'failed') return { state: 'failed', detail: state.detail }
      return { state: state.kind === 'queued' ? 'waiting' : state.kind, detail: null }
    },

    async withClip(id, use) {
      const { provider, jobId } = jobOf(id)
      const folder = await mkdtemp(path.join(context.temporaryDir, 'engine-test-'))
      try {
        const file = path.join(folder, 'clip.mp4')
        await provider.fetch(jobId, file, AbortSignal.timeout(FETCH_MS))
        return await use(file)
      } finally {
        await rm(folder, { recursive: true, force: true })
      }
    },
  }
}

const baseOf = (url: string) => trimEnd(url, '/').replace(/\/v1$/, '')

const usualAddresses = () => {
  const at = (ports: readonly number[]) => HOSTS.flatMap((host) => ports.map((port) => `http://${host}:${port}`))
  return { comfyui: at(USUAL.comfyui), 'videos-api': at(USUAL['videos-api']) }
}

/** Returns what a server says of itself, or undefined if it is no such engine. */
async function probe(kind: 'comfyui' | 'videos-api', url: string, header?: string): Promise<string | undefined> {
  const [path, mark] = kind === 'comfyui' ? (['/system_stats', 'devices'] as const) : (['/v1/models', 'data'] as const)
  const signal = AbortSignal.timeout(PROBE_MS)
  const call = {
    method: 'GET',
    headers: headerOf(header),
    connectTimeoutMs: PROBE_MS,
    timeoutMs: PROBE_MS,
    signal,
  } as const
  try {
    const { status, body } = await httpCall(new URL(url + path), call)
    if (kind === 'videos-api' && status === 401) return 'needs a key'
    const found = JSON.parse(body)[mark]
    if (!Array.isArray(found)) return undefined
    return found
      .map((one: { name?: string; id?: string }) => one.id ?? one.name ?? '')
      .slice(0, 5)
      .join(', ')
  } catch {
    return undefined
  }
}

const costOf = ({ cents, centsPerSecond }: Shape, seconds: number): number | null =>
  cents ?? (centsPerSecond === undefined ? null : centsPerSecond * seconds)

function pricedOf(model: CatalogueModel) {
  return {
    ...{ id: model.id, names: model.names, engine: model.routes[0]?.provider ?? '' },
    unpriced: model.shapes.some(isUnpriced),
    shapes: model.shapes.map((shape) => {
      const seconds = secondsOf(shape)
      const shortest = Math.min(...seconds)
      return {
        resolutions: [...shape.resolutions],
        seconds: [shortest, Math.max(...seconds)],
        credits: priceOf(shape, shortest),
        cents: costOf(shape, shortest),
      }
    }),
  }
}

/** Sets price and cost of the shortest video; null: unknown. A shape of many lengths is priced by the second. */
function withPrice(shape: Shape, { credits, cents }: { credits: number; cents: number | null }): Shape {
  const { credits: flat, creditsPerSecond: _, cents: flatCents, centsPerSecond: __, ...rest } = shape
  const [first = 1, ...others] = secondsOf(shape)
  const isBySecond = others.length > 0 && flat === undefined && flatCents === undefined
  return {
    ...rest,
    ...(isBySecond ? { creditsPerSecond: Math.ceil(credits / first) } : { credits }),
    ...(cents !== null && (isBySecond ? { centsPerSecond: cents / first } : { cents })),
  }
}

/** Returns what a credit earns at least, by the plan or the pack that sells it cheapest. */
function leastCreditCents(): number {
  const plans = Object.values(PLANS)
    .filter(({ priceCents }) => priceCents > 0)
    .map(({ priceCents, credits }) => priceCents / credits)
  const packs = PACK_IDS.map((id) => PACKS[id].prices.USD / creditsOf(id))
  return Math.min(...plans, ...packs)
}
