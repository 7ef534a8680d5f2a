const GENERATED = 'http://cv.iptc.org/newscodes/digitalsourcetype/trainedAlgorithmicMedia'
const PARENT = 'parent'

/** C2PA manifest definitions, as the signing thread takes them. */
export interface Manifest {
  readonly definition: object
  /** Ingredient definition of the file that this one was made from; undefined for an original. */
  readonly ingredient?: object
}

const generator = { claim_version: 2, claim_generator_info: [{ name: 'Kinora' }] }
const actions = (list: readonly object[]) => ({ assertions: [{ label: 'c2pa.actions.v2', data: { actions: list } }] })

/** Manifest of a file that a model made. */
export const createdManifest = (): Manifest => ({
  definition: { ...generator, ...actions([{ action: 'c2pa.created', digitalSourceType: GENERATED }]) },
})

/** Manifest of a copy with a visible mark, whose ingredient is the original. */
export const copyManifest = (title: string, description: string): Manifest => ({
  definition: {
    ...generator,
    ...actions([
      { action: 'c2pa.opened', parameters: { ingredientIds: [PARENT] } },
      { action: 'c2pa.edited', description, digitalSourceType: GENERATED },
    ]),
  },
  ingredient: { title, relationship: 'parentOf', label: PARENT },
})
