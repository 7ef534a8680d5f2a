import * as z from 'zod/mini'
import { inputsOf, isWidget, type ObjectInfo } from './objectInfo.ts'

const Node = z.looseObject({ class_type: z.string(), inputs: z.record(z.string(), z.unknown()) })
const ApiGraph = z.record(z.string(), Node)
export type ApiGraph = z.output<typeof ApiGraph>

const Id = z.pipe(z.union([z.string(), z.number()]), z.transform(String))
const EditorNode = z.object({
  id: Id,
  type: z.string(),
  /** 2: muted, 4: bypassed. */
  mode: z._default(z.number(), 0),
  inputs: z._default(z.array(z.object({ name: z.string(), link: z.optional(z.nullable(z.number())) })), []),
  widgets_values: z.optional(z.nullable(z.union([z.array(z.unknown()), z.record(z.string(), z.unknown())]))),
})
type EditorNode = z.output<typeof EditorNode>
/** `[id, from node, from slot, to node, to slot, type]`, or an object in newer files. */
const Link = z.union([
  z.pipe(
    z.tuple([z.number(), Id, z.number()], z.unknown()),
    z.transform(([id, from, slot]) => ({ id, from, slot })),
  ),
  z.pipe(
    z.object({ id: z.number(), origin_id: Id, origin_slot: z.number() }),
    z.transform(({ id, origin_id, origin_slot }) => ({ id, from: origin_id, slot: origin_slot })),
  ),
])
const Editor = z.object({ nodes: z.array(EditorNode), links: z._default(z.array(Link), []) })

/** The workflow cannot be read. The message says why, and what to do. */
export class UnreadableWorkflow extends Error {
  override name = 'UnreadableWorkflow'
}

const SAVE_FOR_API = 'Export it with “Save (API format)” instead.'
const NOTES = ['Note', 'MarkdownNote']
const SUBGRAPH = /^[0-9a-f]{8}-[0-9a-f]{4}-/
const [MUTED, BYPASSED] = [2, 4]
/** Inputs after which the editor stores a second value: what happens to the seed after a render. */
const SEEDS = ['seed', 'noise_seed']

/**
 * Returns a workflow as ComfyUI's API takes it, whichever form it was saved in.
 * @throws UnreadableWorkflow
 */
export function readWorkflow(workflow: object, info: ObjectInfo): ApiGraph {
  const api = z.safeParse(ApiGraph, workflow)
  if (api.success && Object.keys(api.data).length > 0) return api.data
  const editor = z.safeParse(Editor, workflow)
  if (!editor.success) throw new UnreadableWorkflow('This is no workflow of ComfyUI.')
  const { nodes, links } = editor.data
  const byId = new Map(nodes.map((node) => [node.id, node]))
  const origins = new Map(links.map(({ id, from, slot }) => [id, { from, slot }]))
  const kept = nodes.filter(({ type, mode }) => mode !== MUTED && ![...NOTES, ...ROUTING].includes(type))
  for (const { id, type, mode } of kept) {
    if (SUBGRAPH.test(type)) throw new UnreadableWorkflow(`Node ${id} is a subgraph. ${SAVE_FOR_API}`)
    if (mode === BYPASSED) throw new UnreadableWorkflow(`Node ${id} (${type}) is bypassed. ${SAVE_FOR_API}`)
    if (!info[type]) throw new UnreadableWorkflow(`ComfyUI lacks the node ${type}. Install it, or ${SAVE_FOR_API}`)
  }

  /** Returns where a link comes from, past the nodes that only route, or the value of a primitive. */
  const follow = (link: number, steps = 0): unknown => {
    if (steps > nodes.length) throw new UnreadableWorkflow('The links of the workflow lead in a circle.')
    const origin = origins.get(link)
    const node = origin && byId.get(origin.from)
    if (!node || node.mode === MUTED) return undefined
    if (node.type === 'PrimitiveNode') return Array.isArray(node.widgets_values) ? node.widgets_values[0] : undefined
    const onward = node.type === 'Reroute' ? node.inputs[0]?.link : undefined
    if (node.type === 'Reroute') return typeof onward === 'number' ? follow(onward, steps + 1) : undefined
    return [node.id, origin.slot]
  }
  return Object.fromEntries(
    kept.map((node) => {
      const linked = node.inputs.flatMap(({ name, link }) => (typeof link === 'number' ? [[name, follow(link)]] : []))
      const inputs = { ...widgetsOf(node, info), ...Object.fromEntries(linked) }
      return [node.id, { class_type: node.type, inputs }]
    }),
  )
}

const ROUTING = ['Reroute', 'PrimitiveNode']

/** Returns the values of a node's widgets by their names. */
function widgetsOf({ id, type, widgets_values: values }: EditorNode, info: ObjectInfo): Record<string, unknown> {
  if (!values) return {}
  const widgets = inputsOf(info, type).filter(isWidget)
  if (!Array.isArray(values)) {
    const known = widgets.flatMap(({ name }) => (name in values ? [[name, values[name]]] : []))
    return Object.fromEntries(known)
  }
  const found: Record<string, unknown> = {}
  let at = 0
  for (const { name, options } of widgets) {
    if (at >= values.length) break
    found[name] = values[at++]
    const hasControl = options.control_after_generate === true || SEEDS.includes(name)
    if (hasControl && typeof values[at] === 'string') at++
  }
  // An upload button stores a value of its own at the end.
  if (values.length - at > 1)
    throw new UnreadableWorkflow(`Node ${id} (${type}) has more values than inputs. ${SAVE_FOR_API}`)
  return found
}
