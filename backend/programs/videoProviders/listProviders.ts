import type { Definition } from '../../providers/video/definitions/definition.ts'
import type { CatalogueModel } from '../../tasks/contract.ts'

export interface Listed {
  /** Names of the providers that are configured. */
  readonly configured: readonly string[]
  readonly definitions: ReadonlyMap<string, Definition>
  /** Models that are offered, with their routes in order. */
  readonly models: readonly CatalogueModel[]
  /** Refused files with the reason. */
  readonly faults: ReadonlyMap<string, string>
}

/** Returns what is configured, which models it renders, and which settings would add a provider, as text. */
export function listProviders({ configured, definitions, models, faults }: Listed): string {
  const routes = models.map(({ id, routes }) => `  ${id}: ${routes.map(routeOf).join(', then ')}`)
  const missing = [...definitions.values()].filter(({ name }) => !configured.includes(name))
  return [
    `Configured: ${configured.join(', ') || 'none'}`,
    ...section('Models', routes),
    ...section(
      'Not configured',
      missing.map(({ name, names, key }) => `  ${name} (${names.en}): set ${key.variable}`),
    ),
    ...section(
      'Refused files',
      [...faults].map(([file, fault]) => `  ${file}: ${fault.replaceAll('\n', '\n    ')}`),
    ),
  ].join('\n')
}

const routeOf = ({ provider, model }: CatalogueModel['routes'][number]) => `${provider} (${model})`
const section = (title: string, lines: readonly string[]) => (lines.length > 0 ? ['', `${title}:`, ...lines] : [])
