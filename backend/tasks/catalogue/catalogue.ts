import { createHash } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import type { Logger } from 'pino'
import * as z from 'zod/mini'
import { canonicalJson } from '../../kernel/eventsourcing/pure/eventHash.ts'
import { remembered } from '../../kernel/remembered.ts'
import { watchFolder } from '../../kernel/watchedFolder.ts'
import { type CatalogueModel, DEFAULT_CREDITS, isUnpriced, ModelFile } from '../contract.ts'
import type { VideoProvider } from '../videoProvider.port.ts'

export interface Catalogue {
  /** Models that a configured provider renders, in the order of the form. Routes to other providers are left out. */
  offered(): readonly CatalogueModel[]
  /** Returns an entry with all its routes. */
  find(id: string): CatalogueModel | undefined
  /** Files whose present version is refused, by path, with the reason. */
  faults(): ReadonlyMap<string, string>
  /** Reads changed files and asks the engines for their models now instead of at the next interval. */
  refresh(): Promise<void>
  close(): Promise<void>
}

type Providers = Pick<
  ReadonlyMap<string, Pick<VideoProvider, 'models' | 'takesSeeds'>>,
  'has' | 'get' | typeof Symbol.iterator
>

export interface CatalogueDeps {
  /** Folders in ascending precedence. */
  readonly folders: readonly string[]
  readonly providers: Providers
  readonly log: Pick<Logger, 'info' | 'warn'>
  readonly intervalMs?: number
}

const INTERVAL_MS = 2_000
const MODELS_TIMEOUT_MS = 5_000

/** Parses the JSON of a model file. @throws Error naming the fields at fault */
export function parseModel(value: unknown): CatalogueModel {
  const read = z.safeParse(ModelFile, value)
  if (!read.success) throw new Error(z.prettifyError(read.error))
  return { ...read.data, version: versionOf(read.data) }
}

/** Returns the version of a catalogue entry: a hash of everything that it says. */
export const versionOf = (model: ModelFile): string =>
  createHash('sha256').update(canonicalJson(model)).digest('hex').slice(0, 16)

/**
 * Returns the models that a provider here renders, with the routes to it. A file that none renders must not hide an engine's
 * model of the same id.
 */
const renderedBy = (providers: CatalogueDeps['providers'], models: readonly CatalogueModel[]) =>
  models
    .map((model) => ({ ...model, routes: model.routes.filter(({ provider }) => providers.has(provider)) }))
    .filter(({ routes }) => routes.length > 0)

/**
 * Opens the model catalogue: the files of some folders, which may change at any time, and the models that engines report
 * themselves. A file takes precedence over an engine's model of the same id.
 */
export async function openCatalogue({
  folders,
  providers,
  log,
  intervalMs = INTERVAL_MS,
}: CatalogueDeps): Promise<Catalogue> {
  const warned = new Set<string>()
  /** Warns once per version of a model. */
  const warnUnpriced = (model: CatalogueModel): CatalogueModel => {
    if (model.shapes.some(isUnpriced) && !warned.has(model.version)) {
      warned.add(model.version)
      log.warn({ model: model.id, credits: DEFAULT_CREDITS }, 'model without a price, using the default')
    }
    return model
  }
  const parse = (value: unknown) => warnUnpriced(parseModel(value))
  const files = await watchFolder({ folders, parse, log, intervalMs })
  const reported = new Map<string, readonly CatalogueModel[]>()
  const closed = new AbortController()

  const ask = async ([name, provider]: readonly [string, Pick<VideoProvider, 'models'>]) => {
    try {
      const models = await provider.models?.(AbortSignal.any([closed.signal, AbortSignal.timeout(MODELS_TIMEOUT_MS)]))
      if (models) reported.set(name, models.map(warnUnpriced))
    } catch (error) {
      // The models that the engine reported last stay in the catalogue.
      if (!reported.has(name)) log.warn({ err: error, provider: name }, 'models of a provider cannot be read')
      reported.set(name, reported.get(name) ?? [])
    }
  }
  const askAll = async () => void (await Promise.all([...providers].map(ask)))
  const keepAsking = async () => {
    while (!closed.signal.aborted) {
      await delay(intervalMs, undefined, { signal: closed.signal, ref: false })
      await askAll()
    }
  }
  await askAll()
  const asking = keepAsking().catch(() => {})

  const takesSeeds = ({ provider }: CatalogueModel['routes'][number]) => providers.get(provider)?.takesSeeds === true
  /** Drawings come last, so that a form begins with a model that makes films. */
  const isDrawn = ({ routes }: CatalogueModel) => Number(routes[0]?.provider === 'demo')
  /** Takes everything that the list depends on. Each request reads it several times. */
  const offeredOf = remembered((..._: readonly unknown[]): readonly CatalogueModel[] => {
    const rendered = renderedBy(providers, [...[...reported.values()].flat(), ...files.current().values()])
    return [...new Map(rendered.map((each) => [each.id, each])).values()]
      .map((model) => ({ ...model, seed: model.seed || model.routes.every(takesSeeds) }))
      .sort((a, b) => isDrawn(a) - isDrawn(b) || a.order - b.order || (a.id < b.id ? -1 : 1))
  })
  const offered = () => {
    const engines = [...providers].flatMap(([name, provider]) => [name, provider.takesSeeds])
    return offeredOf(files.current(), ...reported.values(), ...engines)
  }

  return {
    offered,
    find: (id) => [...files.current().values(), ...[...reported.values()].flat()].find((model) => model.id === id),
    faults: files.faults,
    async refresh() {
      await Promise.all([files.refresh(), askAll()])
    },
    async close() {
      closed.abort()
      await asking
      await files.close()
    },
  }
}
