import * as z from 'zod/mini'

/** Type and options of an input: `["INT", {default: 0}]`, or a list of values in place of the type. */
const Input = z.tuple([z.union([z.string(), z.array(z.unknown())])], z.unknown())
const Inputs = z.catch(z.optional(z.record(z.string(), Input)), undefined)
const NodeInfo = z.object({
  input: z.object({ required: Inputs, optional: Inputs }),
  output_node: z._default(z.boolean(), false),
  display_name: z.catch(z.optional(z.string()), undefined),
})

/** Answer of ComfyUI's `GET /object_info`: every node that the server has. Nodes of another shape are left out. */
export const ObjectInfo = z.pipe(
  z.record(z.string(), z.unknown()),
  z.transform((nodes) =>
    Object.fromEntries(
      Object.entries(nodes).flatMap(([name, node]) => {
        const { data } = z.safeParse(NodeInfo, node)
        return data ? [[name, data] as const] : []
      }),
    ),
  ),
)
export type ObjectInfo = z.output<typeof ObjectInfo>

export interface InputInfo {
  readonly name: string
  /** `COMBO` for a list of values. */
  readonly type: string
  readonly values: readonly unknown[] | undefined
  readonly options: Readonly<Record<string, unknown>>
}

/** Returns the inputs of a node in their order, in which the editor stores the values of its widgets. */
export function inputsOf(info: ObjectInfo, className: string): readonly InputInfo[] {
  const { required = {}, optional = {} } = info[className]?.input ?? {}
  return [...Object.entries(required), ...Object.entries(optional)].map(([name, [type, more]]) => {
    const options = typeof more === 'object' && more !== null ? (more as Record<string, unknown>) : {}
    if (Array.isArray(type)) return { name, type: 'COMBO', values: type, options }
    const listed = type === 'COMBO' && Array.isArray(options.options) ? options.options : undefined
    return { name, type: type as string, values: listed, options }
  })
}

const WIDGETS = ['INT', 'FLOAT', 'STRING', 'BOOLEAN', 'COMBO']

/** Returns whether the editor shows an input as a widget, whose value it stores. */
export const isWidget = ({ type, options }: InputInfo): boolean => WIDGETS.includes(type) && options.forceInput !== true
