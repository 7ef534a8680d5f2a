/** What the C2PA reader reports, as far as the page uses it. Files of strangers decide its content. */
interface Status {
  readonly code: string
  readonly url?: string
}
interface Results {
  readonly success?: readonly Status[]
  readonly failure?: readonly Status[]
}
interface Action {
  readonly action: string
  readonly description?: string
  readonly digitalSourceType?: string
  readonly softwareAgent?: string | { readonly name?: string }
}
interface Manifest {
  readonly claim_generator_info?: readonly { readonly name?: string }[]
  readonly assertions?: readonly { readonly label: string; readonly data?: unknown }[]
  readonly ingredients?: readonly { readonly relationship?: string; readonly active_manifest?: string }[]
  readonly signature_info?: { readonly issuer?: string; readonly common_name?: string; readonly time?: string }
}
export interface Report {
  readonly active_manifest?: string
  readonly manifests?: Readonly<Record<string, Manifest>>
  readonly validation_state?: string
  readonly validation_results?: {
    readonly activeManifest?: Results
    readonly ingredientDeltas?: readonly { readonly validationDeltas?: Results }[]
  }
}

/** What a file of Kinora says of its charge. See docs/receipts.md. */
export interface Assertion {
  readonly installation: string
  readonly task: string
  readonly engine: string | null
  readonly engine_model: string | null
  readonly credits: number
  readonly hold: { readonly event: string; readonly position: string }
  readonly head: { readonly size: number; readonly root: string } | null
}

/** `own`: signed by this installation and unchanged. `other`: signed by another signer and unchanged. */
export type State = 'own' | 'other' | 'changed' | 'none' | 'unreadable'

export interface Judgement {
  readonly state: State
  /** Codes of what is wrong, and the part of the file or the manifest. */
  readonly failures: readonly { readonly code: string; readonly part: string }[]
  /** Names of the certificate, of which the first is the holder's. */
  readonly signer: readonly string[]
  readonly generator: string | undefined
  /** What performed the actions, such as a model. */
  readonly agents: readonly string[]
  /** IPTC digital source types, such as `trainedAlgorithmicMedia`. */
  readonly sources: readonly string[]
  /** In the order in which they were performed. */
  readonly actions: readonly { readonly action: string; readonly description: string | undefined }[]
  /** The charge that the file names. Believe it in the state `own` only. */
  readonly assertion: Assertion | undefined
}

/** That the reader does not know the signer is the state `other`, and no fault. */
const UNTRUSTED = 'signingCredential.untrusted'
const RECEIPT = /\.kinora\.receipt(__\d+)?$/
/** Copies of copies. */
const MAX_PARENTS = 10
const NOTHING = {
  failures: [],
  signer: [],
  generator: undefined,
  agents: [],
  sources: [],
  actions: [],
  assertion: undefined,
}

/** Judges the report of a reader that trusts the certificates of this installation and no others. */
export function judge(report: Report | undefined): Judgement {
  const {
    active_manifest: active = '',
    manifests = {},
    validation_state: said,
    validation_results: results,
  } = report ?? {}
  if (!report) return { state: 'none', ...NOTHING }
  // The reader leaves out a manifest that it cannot decode.
  const manifest = manifests[active] ?? {}
  const deltas = (results?.ingredientDeltas ?? []).map(({ validationDeltas }) => validationDeltas)
  const failures = [results?.activeManifest, ...deltas]
    .flatMap((each) => each?.failure ?? [])
    .filter(({ code }) => code !== UNTRUSTED)
    .map(({ code, url = '' }) => ({ code, part: url.split('/').at(-1) ?? '' }))
  const state = said === 'Trusted' ? 'own' : said === 'Valid' ? 'other' : 'changed'
  const trusted = deltas
    .flatMap((each) => each?.success ?? [])
    .filter(({ code }) => code === 'signingCredential.trusted')
  const chain = [manifest]
  const parentOf = ({ ingredients = [] }: Manifest): Manifest | undefined => {
    const { active_manifest: parent } = ingredients.find(({ relationship }) => relationship === 'parentOf') ?? {}
    // What a stranger's file says of its parents is worth as much as the stranger's signature.
    return parent && trusted.some(({ url }) => url?.includes(`/${parent}/`)) ? manifests[parent] : undefined
  }
  for (let at = state === 'own' ? parentOf(manifest) : undefined; at && chain.length < MAX_PARENTS; at = parentOf(at))
    chain.push(at)
  const actions = chain.toReversed().flatMap(actionsOf)
  const { issuer, common_name: name } = manifest.signature_info ?? {}
  const texts = (values: readonly unknown[]) => [
    ...new Set(values.filter((value) => typeof value === 'string' && value !== '')),
  ]
  return {
    state,
    failures,
    signer: texts([name, issuer]) as string[],
    generator: manifest.claim_generator_info?.[0]?.name,
    agents: texts(
      actions.map(({ softwareAgent: agent }) => (typeof agent === 'string' ? agent : agent?.name)),
    ) as string[],
    sources: texts(actions.map(({ digitalSourceType: type }) => type?.split('/').at(-1))) as string[],
    actions: actions.map(({ action, description }) => ({ action, description })),
    assertion: chain.map(assertionOf).find(Boolean),
  }
}

function actionsOf({ assertions = [] }: Manifest): Action[] {
  const lists = assertions.filter(({ label }) => /^c2pa\.actions(\.v2)?(__\d+)?$/.test(label))
  return lists.flatMap(({ data }) => {
    const { actions } = (data ?? {}) as { actions?: unknown }
    return Array.isArray(actions) ? (actions as Action[]).filter(({ action }) => typeof action === 'string') : []
  })
}

const isText = (value: unknown): value is string => typeof value === 'string'
const isHash = (value: unknown) => isText(value) && /^[0-9a-f]{64}$/.test(value)

function assertionOf({ assertions = [] }: Manifest): Assertion | undefined {
  const data = assertions.find(({ label }) => RECEIPT.test(label))?.data as Assertion | undefined
  if (!data || !isText(data.installation) || !isText(data.task) || !isHash(data.hold?.event)) return undefined
  const isSound = data.head == null || (Number.isSafeInteger(data.head.size) && isHash(data.head.root))
  return isSound && Number.isSafeInteger(data.credits) ? data : undefined
}
