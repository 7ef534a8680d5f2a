const SOURCE_TYPES = 'http://cv.iptc.org/newscodes/digitalsourcetype/'
const PARENT = 'parent'

/** A statement of a manifest, and its label. */
export interface Assertion {
  readonly label: string
  readonly data: object
}

/** C2PA manifest definitions, as the library takes them. */
export interface Manifest {
  readonly definition: { readonly assertions: readonly Assertion[] }
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

/** What a film says of its charge, in an assertion of Kinora's own. See docs/receipts.md. */
export interface ReceiptAssertion {
  readonly version: 1
  /** Public address of the installation. */
  readonly installation: string
  readonly task: string
  /** The ordered model. */
  readonly model: string
  /** What made the film. */
  readonly engine: string | null
  readonly engine_model: string | null
  /** Credits that were held for it. */
  readonly credits: number
  /** Hash and log position of the event that held them. */
  readonly hold: Readonly<{ event: string; position: string }>
  /** Newest checkpoint of the ledger when the film was signed; null before the first. */
  readonly head: Readonly<{ size: number; root: string; createdAt: string }> | null
}

/**
 * Returns the label of the assertion: the installation's domain reversed, as C2PA asks, and a name.
 * @example receiptLabel('https://video.example.com') // 'com.example.video.kinora.receipt'
 */
function receiptLabel(installation: string): string {
  const { hostname } = new URL(installation)
  const isName = /^[a-z0-9-]+(\.[a-z0-9-]+)+$/.test(hostname) && /[a-z]/.test(hostname)
  return `${isName ? hostname.split('.').toReversed().join('.') : 'localhost'}.kinora.receipt`
}

/** What claims name as their maker. */
export const GENERATOR = { name: 'Kinora' }
const generator = { claim_version: 2, claim_generator_info: [GENERATOR] }
const actions = (list: readonly object[], receipt?: ReceiptAssertion) => ({
  assertions: [
    { label: 'c2pa.actions.v2', data: { actions: list } },
    ...(receipt ? [{ label: receiptLabel(receipt.installation), data: receipt }] : []),
  ],
})

const typeOf = ({ source }: PerhapsOrigin) => (source === null ? {} : { digitalSourceType: SOURCE_TYPES + source })

/** Manifest of a file as it was made. Readers refuse one without a source type. */
export const createdManifest = (origin: Origin, receipt?: ReceiptAssertion): Manifest => {
  const agent = origin.agent === null ? {} : { softwareAgent: { name: origin.agent } }
  return {
    definition: { ...generator, ...actions([{ action: 'c2pa.created', ...typeOf(origin), ...agent }], receipt) },
  }
}

/** Manifest of a copy with a mark, whose ingredient is the original. */
export const copyManifest = (
  title: string,
  origin: PerhapsOrigin,
  description: string,
  receipt?: ReceiptAssertion,
): Manifest => ({
  definition: {
    ...generator,
    ...actions(
      [
        { action: 'c2pa.opened', parameters: { ingredientIds: [PARENT] } },
        { action: 'c2pa.edited', description, ...typeOf(origin) },
      ],
      receipt,
    ),
  },
  ingredients: [{ title, relationship: 'parentOf', label: PARENT }],
})

/** Manifest of a film that joins others, whose titles are given. */
export const joinedManifest = (origin: Origin, titles: readonly string[], receipt?: ReceiptAssertion): Manifest => {
  const parts = titles.map((title, n) => ({ title, relationship: 'componentOf', label: `part${n}` }))
  const placed = parts.map(({ label }) => ({ action: 'c2pa.placed', parameters: { ingredientIds: [label] } }))
  return {
    definition: { ...generator, ...actions([{ action: 'c2pa.created', ...typeOf(origin) }, ...placed], receipt) },
    ingredients: parts,
  }
}
