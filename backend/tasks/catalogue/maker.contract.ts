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
  /** Who paid, whose plan decides about the watermark; the user if there is none. */
  readonly payer_id?: string | null
}

/** Name of the built-in renderer, which makes the films of every model that is ordered from it. */
export const RENDERER_MODEL = 'Kinora demo'

type Source = 'algorithmicMedia' | 'trainedAlgorithmicMedia'

/**
 * Returns the IPTC digital source type of a film; null if its maker is unknown. The built-in renderer draws by rules, while
 * every other engine runs a trained model. A joined film has the engine `join` and, as the model, what made its clips.
 */
export function sourceOf(maker: KnownMaker): Source
export function sourceOf(maker: Maker): Source | null
export function sourceOf({ engine, engine_model: model }: Maker): Source | null {
  if (engine === null) return null
  const isDrawn = engine === 'demo' || (engine === 'join' && model === RENDERER_MODEL)
  return isDrawn ? 'algorithmicMedia' : 'trainedAlgorithmicMedia'
}

/** Returns the name of what made a film; null if unknown. */
export const makerName = ({ engine, engine_model }: Maker): string | null => engine_model ?? engine

/** Returns the name of a provider as clients see it, such as `videos_api`. */
export const engineName = (provider: string): string => provider.replaceAll('-', '_')
