/**
 * What makes a film, whatever model was ordered: an engine, and the engine's own name of its model. Null if unknown.
 * See docs/decisions/0059-who-made-a-film.md.
 */
export interface Maker {
  readonly engine: string | null
  readonly engine_model: string | null
}
export type KnownMaker = Maker & { readonly engine: string }

/** A film in media storage, for those who mark it. */
export interface Film extends Maker {
  /** Id of its task. */
  readonly id: string
  readonly user_id: string
}

type Source = 'algorithmicMedia' | 'trainedAlgorithmicMedia'

/**
 * Returns the IPTC digital source type of a film; null if its maker is unknown. The built-in renderer draws by rules, while
 * every other engine runs a trained model.
 */
export function sourceOf(maker: Pick<KnownMaker, 'engine'>): Source
export function sourceOf(maker: Pick<Maker, 'engine'>): Source | null
export function sourceOf({ engine }: Pick<Maker, 'engine'>): Source | null {
  if (engine === null) return null
  return engine === 'demo' ? 'algorithmicMedia' : 'trainedAlgorithmicMedia'
}

/** Returns the name of what made a film; null if unknown. */
export const makerName = ({ engine, engine_model }: Maker): string | null => engine_model ?? engine

/** Returns the name of a provider as clients see it, such as `videos_api`. */
export const engineName = (provider: string): string => provider.replaceAll('-', '_')
