import type { BindingName } from '#backend/operators/graphs.contract.ts'
import { inputsOf, type ObjectInfo } from './objectInfo.ts'
import type { ApiGraph } from './readWorkflow.ts'

interface Input {
  readonly node: string
  readonly className: string
  readonly name: string
  readonly type: string
  readonly value: unknown
  readonly options: Readonly<Record<string, unknown>>
}

const TYPES: Readonly<Record<BindingName, readonly string[]>> = {
  prompt: ['STRING'],
  negativePrompt: ['STRING'],
  seed: ['INT'],
  width: ['INT'],
  height: ['INT'],
  frames: ['INT'],
  seconds: ['INT', 'FLOAT'],
  firstFrame: ['COMBO', 'STRING'],
  lastFrame: ['COMBO', 'STRING'],
}
/** Names of inputs, without the part before the last dot. */
const NAMES: Readonly<Partial<Record<BindingName, RegExp>>> = {
  seed: /^(?:noise_)?seed$/,
  width: /^width$/,
  height: /^height$/,
  frames: /^(?:length|num_frames|frames|video_length|frame_count)$/,
  seconds: /^(?:duration|seconds)$/,
}
const TEXT = /^(?:prompt|text|value)$/
const FPS = /^(?:fps|frame_rate)$/
const LAST_FRAME = /^(?:end|last)_(?:image|frame)$/
const SAVES_VIDEO = /video|webm|vhs|animated/i

const lastPart = (name: string) => name.slice(name.lastIndexOf('.') + 1)
const isLink = (value: unknown): value is readonly [string, number] =>
  Array.isArray(value) && value.length === 2 && typeof value[0] === 'string' && typeof value[1] === 'number'
const placeOf = ({ node, name }: Pick<Input, 'node' | 'name'>) => `${node}.${name}`

/** Proposes which inputs of a graph receive the values of an order, and which node saves the video. */
export function proposeBindings(graph: ApiGraph, info: ObjectInfo) {
  const inputs = literalInputs(graph, info)
  const named = (wanted: RegExp | undefined, types: readonly string[]) =>
    inputs.filter(({ name, type }) => wanted?.test(lastPart(name)) && types.includes(type))
  const isImage = ({ type, options, className }: Input) =>
    TYPES.firstFrame.includes(type) && (options.image_upload === true || /LoadImage/.test(className))
  const images = inputs.filter(isImage)
  const last = images.find(({ node }) => feeds(graph, node, LAST_FRAME))
  const long = inputs.filter(({ type, options }) => type === 'STRING' && options.multiline === true)
  const texts = long.length > 0 ? long : named(TEXT, ['STRING'])
  const negative = texts.find(({ node }) => feeds(graph, node, /^negative/))
  const positive = texts.find(({ node }) => feeds(graph, node, /^positive/))
  const width = named(NAMES.width, TYPES.width)[0]
  const proposed: Readonly<Record<BindingName, Input | undefined>> = {
    prompt: positive ?? texts.find((text) => text !== negative),
    negativePrompt: negative === positive ? undefined : negative,
    seed: named(NAMES.seed, TYPES.seed)[0],
    width,
    height: named(NAMES.height, TYPES.height).find(({ node }) => node === width?.node),
    frames: named(NAMES.frames, TYPES.frames)[0],
    seconds: named(NAMES.seconds, TYPES.seconds)[0],
    firstFrame: images.find((image) => image !== last),
    lastFrame: last,
  }
  const outputs = Object.entries(graph).filter(([, { class_type }]) => info[class_type]?.output_node)
  const output = outputs.find(([, { class_type }]) => SAVES_VIDEO.test(class_type)) ?? outputs[0]
  const fps = named(FPS, ['INT', 'FLOAT']).map(({ value }) => Number(value))[0]
  const choice = (input: Input) => ({ place: placeOf(input), label: labelOf(input, info) })
  const placesFor = (name: BindingName) =>
    (name === 'firstFrame' || name === 'lastFrame'
      ? images
      : inputs.filter(({ type }) => TYPES[name].includes(type))
    ).map(choice)
  const names = Object.keys(TYPES) as BindingName[]
  return {
    bindings: Object.fromEntries(names.flatMap((name) => (proposed[name] ? [[name, placeOf(proposed[name])]] : []))),
    places: Object.fromEntries(names.map((name) => [name, placesFor(name)])),
    output: output?.[0] ?? null,
    outputs: outputs.map(([place, { class_type }]) => ({ place, label: `${place} · ${class_type}` })),
    fps: fps && fps > 0 && fps <= 240 ? fps : undefined,
    saved: { height: proposed.height?.value, frames: proposed.frames?.value, seconds: proposed.seconds?.value },
  }
}

function labelOf({ node, className, name, value }: Input, info: ObjectInfo): string {
  const shown = String(value ?? '').slice(0, 40)
  return `${node} · ${info[className]?.display_name || className} · ${name}${shown && ` = ${shown}`}`
}

/** Returns the inputs that have a value of their own. */
function literalInputs(graph: ApiGraph, info: ObjectInfo): readonly Input[] {
  return Object.entries(graph).flatMap(([node, { class_type: className, inputs }]) => {
    const known = new Map(inputsOf(info, className).map((input) => [input.name, input]))
    return Object.entries(inputs).flatMap(([name, value]) => {
      if (isLink(value)) return []
      const type = known.get(name)?.type ?? typeOf(value)
      return [{ node, className, name, type, value, options: known.get(name)?.options ?? {} }]
    })
  })
}

/** Inputs with dots belong to a choice, of which the server describes no types. */
function typeOf(value: unknown): string {
  if (typeof value === 'number') return Number.isInteger(value) ? 'INT' : 'FLOAT'
  return typeof value === 'string' ? 'STRING' : 'OTHER'
}

/** Returns whether the output of a node reaches an input of such a name, directly or through other nodes. */
function feeds(graph: ApiGraph, from: string, wanted: RegExp): boolean {
  const seen = new Set<string>()
  const next = [from]
  for (let node = next.pop(); node !== undefined; node = next.pop()) {
    if (seen.has(node)) continue
    seen.add(node)
    for (const [id, { inputs }] of Object.entries(graph))
      for (const [name, value] of Object.entries(inputs)) {
        if (!isLink(value) || value[0] !== node) continue
        if (wanted.test(name)) return true
        // A sampler mixes both texts.
        if (!/^(?:positive|negative)/.test(name)) next.push(id)
      }
  }
  return false
}
