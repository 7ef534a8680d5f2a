const SOURCE_TYPES = 'http://cv.iptc.org/newscodes/digitalsourcetype/'
const PARENT = 'parent'

/** C2PA manifest definitions, as the signing thread takes them. */
export interface Manifest {
  readonly definition: object
  /** Ingredient definitions of the files that this one was made from; undefined for an original. */
  readonly ingredients?: readonly object[]
}

/** What made a film, as its claim says. */
export interface Origin<Source = 'algorithmicMedia' | 'trainedAlgorithmicMedia'> {
  /** IPTC digital source type: the rules of a program, or a trained model. */
  readonly source: Source
  /** Name of the program or model; null if unknown. */
  readonly agent: string | null
}
/** Films of earlier releases may not say what made them. */
export type PerhapsOrigin = Origin<Origin['source'] | null>

const generator = { claim_version: 2, claim_generator_info: [{ name: 'Kinora' }] }
const actions = (list: readonly object[]) => ({ assertions: [{ label: 'c2pa.actions.v2', data: { actions: list } }] })

const typeOf = ({ source }: PerhapsOrigin) => (source === null ? {} : { digitalSourceType: SOURCE_TYPES + source })

/** Manifest of a file as it was made. Readers refuse one without a source type. */
export const createdManifest = (origin: Origin): Manifest => {
  const agent = origin.agent === null ? {} : { softwareAgent: { name: origin.agent } }
  return { definition: { ...generator, ...actions([{ action: 'c2pa.created', ...typeOf(origin), ...agent }]) } }
}

/** Manifest of a copy with a mark, whose ingredient is the original. */
export const copyManifest = (title: string, origin: PerhapsOrigin, description: string): Manifest => ({
  definition: {
    ...generator,
    ...actions([
      { action: 'c2pa.opened', parameters: { ingredientIds: [PARENT] } },
      { action: 'c2pa.edited', description, ...typeOf(origin) },
    ]),
  },
  ingredients: [{ title, relationship: 'parentOf', label: PARENT }],
})

/** Manifest of a film that joins others, whose titles are given. */
export const joinedManifest = (origin: Origin, titles: readonly string[]): Manifest => {
  const parts = titles.map((title, n) => ({ title, relationship: 'componentOf', label: `part${n}` }))
  const placed = parts.map(({ label }) => ({ action: 'c2pa.placed', parameters: { ingredientIds: [label] } }))
  return {
    definition: { ...generator, ...actions([{ action: 'c2pa.created', ...typeOf(origin) }, ...placed]) },
    ingredients: parts,
  }
}
