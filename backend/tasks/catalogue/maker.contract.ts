import type { Route } from './catalogue.contract.ts'

/** The built-in renderer. It draws by rules, while every other engine runs a trained model. */
export const RENDERER = { engine: 'demo', model: 'Kinora demo' } as const

/** What makes a film, whatever model was ordered: an engine, and the engine's own name of its model. Null if unknown. */
export interface Maker {
  readonly engine: string | null
  readonly engine_model: string | null
}
type KnownMaker = Maker & { readonly engine: string }
export const UNKNOWN_MAKER: Maker = { engine: null, engine_model: null }

/** A film in media storage, for those who mark it. */
export interface Film extends Maker {
  /** Id of its task. */
  readonly id: string
  readonly user_id: string
}

/** Returns what makes the films of a provider. Orders that predate routes do not name its model. */
export const makerOf = (provider: string, routes: readonly Route[] | null | undefined): KnownMaker => ({
  engine: provider,
  engine_model:
    provider === RENDERER.engine
      ? RENDERER.model
      : (routes?.find((route) => route.provider === provider)?.model ?? null),
})

type Source = 'algorithmicMedia' | 'trainedAlgorithmicMedia'

/** Returns the IPTC digital source type of a film; null if its maker is unknown. */
export function sourceOf(maker: Pick<KnownMaker, 'engine'>): Source
export function sourceOf(maker: Pick<Maker, 'engine'>): Source | null
export function sourceOf({ engine }: Pick<Maker, 'engine'>): Source | null {
  if (engine === null) return null
  return engine === RENDERER.engine ? 'algorithmicMedia' : 'trainedAlgorithmicMedia'
}

/** Returns the name of what made a film; null if unknown. */
export const makerName = ({ engine, engine_model }: Maker): string | null => engine_model ?? engine
