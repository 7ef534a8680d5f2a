import { execFile } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { promisify } from 'node:util'
import init, { WasmReader } from '@contentauth/c2pa-wasm'
import { findFfmpeg } from '../../ffmpeg.ts'

/** What a C2PA reader says about a file. */
export interface Judgement {
  readonly state: string
  /** Codes of everything that is wrong. */
  readonly failures: readonly string[]
  readonly generator: string
  readonly actions: readonly string[]
  readonly sources: readonly string[]
  /** Names of what performed the actions. */
  readonly agents: readonly string[]
  /** The chain of ingredients, each with its own actions. */
  readonly manifests: number
}

type Manifest = {
  claim_generator_info: { name: string }[]
  assertions: {
    label: string
    data: { actions: { action: string; digitalSourceType?: string; softwareAgent?: { name: string } }[] }
  }[]
}

/** Judges a file with the reader of the package that signs. */
export async function judge(content: Buffer, format: string): Promise<Judgement> {
  await load()
  return judgementOf((await WasmReader.fromBytes(format, content)).json())
}

/** Reads the report of a C2PA reader. */
export function judgementOf(report: string): Judgement {
  const { active_manifest, manifests, validation_state, validation_results } = JSON.parse(report)
  // A reader leaves out a manifest that it cannot decode.
  const unknown: Manifest = { claim_generator_info: [{ name: '' }], assertions: [] }
  const { claim_generator_info, assertions }: Manifest = manifests[active_manifest] ?? unknown
  const actions = assertions.filter(({ label }) => label === 'c2pa.actions.v2').flatMap(({ data }) => data.actions)
  const deltas = (validation_results.ingredientDeltas ?? []) as { validationDeltas: { failure: { code: string }[] } }[]
  const failures: { code: string }[] = [
    ...validation_results.activeManifest.failure,
    ...deltas.flatMap(({ validationDeltas }) => validationDeltas.failure),
  ]
  return {
    state: validation_state,
    failures: failures.map(({ code }) => code),
    generator: claim_generator_info[0]!.name,
    actions: actions.map(({ action }) => action),
    sources: actions.flatMap(({ digitalSourceType }) => digitalSourceType?.split('/').at(-1) ?? []),
    agents: actions.flatMap(({ softwareAgent }) => softwareAgent?.name ?? []),
    manifests: Object.keys(manifests).length,
  }
}

/** What a reader says about a file with an intact mark of this installation's own root. */
export const VALID = { state: 'Valid', failures: ['signingCredential.untrusted'], generator: 'Kinora' }

let loading: Promise<unknown> | undefined
const load = () => {
  const wasm = createRequire(import.meta.url).resolve('@contentauth/c2pa-wasm/c2pa.wasm')
  loading ??= readFile(wasm).then((module_or_path) => init({ module_or_path }))
  return loading
}

/** Returns the `AIGC` field of a video, read by ffmpeg; undefined if there is none. */
export async function readAigc(video: string): Promise<Record<string, string> | undefined> {
  const args = ['-loglevel', 'error', '-i', video, '-f', 'ffmetadata', '-']
  const { stdout } = await promisify(execFile)(await findFfmpeg(), args)
  const [, value] = /^AIGC=(.*)$/m.exec(stdout) ?? []
  return value === undefined ? undefined : JSON.parse(value.replace(/\\(.)/g, '$1'))
}
