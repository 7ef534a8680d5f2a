import path from 'node:path'
import { watchFolder } from '../../kernel/watchedFolder.ts'
import { createOperatorAlerts } from '../../operators/alerts/operatorAlerts.ts'
import { webhookUrlOf } from '../../providers/video/definitions/callbackToken.ts'
import {
  createDefinitionProvider,
  type DefinitionTiming,
} from '../../providers/video/definitions/createDefinitionProvider.ts'
import type { Definition } from '../../providers/video/definitions/definition.ts'
import { createDefinitionClient, type DefinitionClient } from '../../providers/video/definitions/definitionClient.ts'
import { parseDefinition } from '../../providers/video/definitions/parseDefinition.ts'
import { isPublicUrl } from '../../providers/video/minimax/callbackRoutes.ts'
import type { CatalogueModel, ModelFile } from '../../tasks/contract.ts'
import type { RenderRequest, VideoProvider } from '../../tasks/videoProvider.port.ts'
import type { Context } from '../context.ts'
import { engineGuard } from './videoProviders.ts'

const SHIPPED = path.join(import.meta.dirname, '../../../content/providers')

export interface Definitions {
  /** Returns the definition of a provider whose key is set, with a client for its calls. */
  find(name: string): { readonly definition: Definition; readonly client: DefinitionClient } | undefined
  /** Every valid definition by name, also without a key. */
  all(): ReadonlyMap<string, Definition>
  /** Files whose present version is refused, by path, with the reason. */
  faults(): ReadonlyMap<string, string>
  /** Reads changed files now instead of at the next interval. */
  refresh(): Promise<void>
  /** Opens and closes providers whose keys have changed. */
  rekey(): void
  close(): Promise<void>
}

export interface DefinitionsDeps extends Pick<Context, 'config' | 'pool' | 'log'> {
  readonly catalogueModel: (file: ModelFile) => CatalogueModel
  /** Returns the key of a definition by its variable. */
  readonly keyOf: (variable: string) => string | undefined
  /** Runs when a definition gets or loses its key or its file. */
  readonly onProvider: (name: string, provider: VideoProvider | undefined) => void
  /** Shorter intervals; `callbacks` also registers webhooks at a private address. */
  readonly timing?: (Partial<DefinitionTiming> & { readonly callbacks?: boolean }) | undefined
}

interface Open {
  readonly provider: VideoProvider
  readonly client: DefinitionClient
  readonly key: string
}

/** Times of calls outside the provider, which a webhook waits for, ms. */
const QUICK = { connectTimeoutMs: 5_000, createTimeoutMs: 5_000, queryTimeoutMs: 5_000 }

/**
 * Opens a provider for each definition whose key is set: those of `content/providers`, and of `DATA_DIR/providers`, which
 * adds definitions and replaces those of the same name. Follows changes of the files. See
 * docs/decisions/0022-providers-as-data.md.
 */
export async function openDefinitions(deps: DefinitionsDeps): Promise<Definitions> {
  const { config, pool, log, catalogueModel, keyOf, onProvider, timing } = deps
  const { video, dataDir } = config
  const alerts = createOperatorAlerts(pool, log)
  const open = new Map<string, Open>()
  let current: ReadonlyMap<string, Definition> = new Map()

  const located = (definition: Definition): Definition =>
    definition.baseUrlVariable && video.minimax ? { ...definition, baseUrl: video.minimax.baseUrl } : definition

  const common = engineGuard(config)
  /** The address of a definition may be anywhere only if a setting names it. */
  const guardOf = ({ baseUrlVariable, baseUrl }: Definition) =>
    baseUrlVariable && video.minimax ? common.trusting(baseUrl) : common

  const create = (name: string, key: string): Open => {
    let last = current.get(name)!
    // Running jobs of a removed definition end by it.
    const definition = () => {
      last = current.get(name) ?? last
      return last
    }
    const guard = () => guardOf(definition())
    const callbackUrl = (request: RenderRequest) => callbackUrlOf(definition(), config, request, timing?.callbacks)
    const provider = createDefinitionProvider({
      ...{ definition, key, guard, pool, log, alerts, catalogueModel, callbackUrl, timing },
    })
    return { provider, key, client: createDefinitionClient({ definition, key, guard, ...QUICK }) }
  }

  const apply = (definitions: ReadonlyMap<string, Definition>) => {
    current = new Map([...definitions].map(([name, definition]) => [name, located(definition)]))
    for (const name of new Set([...open.keys(), ...current.keys()])) {
      const variable = current.get(name)?.key.variable
      const key = variable === undefined ? undefined : keyOf(variable)
      if (key === open.get(name)?.key) continue
      const opened = key === undefined ? undefined : create(name, key)
      if (opened) open.set(name, opened)
      else open.delete(name)
      onProvider(name, opened?.provider)
    }
  }

  const folders = [SHIPPED, path.join(dataDir, 'providers')]
  const files = await watchFolder({ folders, parse: parseDefinition, log, onChange: apply })
  return {
    find(name) {
      const opened = open.get(name)
      return opened && { definition: current.get(name)!, client: opened.client }
    },
    all: () => current,
    faults: files.faults,
    refresh: files.refresh,
    rekey: () => apply(files.current()),
    close: files.close,
  }
}

function callbackUrlOf(
  { name, webhook }: Definition,
  { http: { publicUrl }, secrets }: Context['config'],
  request: RenderRequest,
  isForced = false,
): string | undefined {
  const isReachable = publicUrl !== undefined && (isPublicUrl(publicUrl) || isForced)
  return webhook && isReachable ? webhookUrlOf(publicUrl, secrets.session, name, request) : undefined
}
