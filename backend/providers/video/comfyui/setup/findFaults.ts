import { inputsOf, type ObjectInfo } from './objectInfo.ts'
import type { ApiGraph } from './readWorkflow.ts'

/** Says what a server lacks for a graph: nodes, and files that inputs name, such as those of models. */
export function findFaults(graph: ApiGraph, info: ObjectInfo): readonly string[] {
  return Object.entries(graph).flatMap(([node, { class_type, inputs }]) => {
    if (!info[class_type]) return [`Node ${node}: ComfyUI lacks ${class_type}.`]
    return inputsOf(info, class_type).flatMap(({ name, values, options }) => {
      const value = inputs[name]
      // Pictures are uploaded with each order.
      if (!values || typeof value !== 'string' || options.image_upload === true || values.includes(value)) return []
      return [`Node ${node} (${class_type}): ComfyUI has no ${name} “${value}”.`]
    })
  })
}
