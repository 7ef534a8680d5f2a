import * as z from 'zod/mini'
import { type CatalogueModel, ModelFile } from '#backend/tasks/contract.ts'
import { engineModel } from '../engineModel.ts'

const Node = z.looseObject({ class_type: z.string(), inputs: z.record(z.string(), z.unknown()) })
/** A node's input, such as `6.text`. Inputs of newer nodes have dots of their own: `12.resize_type.width`. */
const Place = z.string().check(z.regex(/^[^.]+\.[^.]+(?:\.[^.]+)*$/, 'a node and its input, such as 6.text'))
const Binding = z.optional(Place)

const Bindings = z.strictObject({
  prompt: Place,
  negativePrompt: Binding,
  seed: Binding,
  width: Binding,
  height: Binding,
  /** Receives seconds × fps + 1. */
  frames: Binding,
  seconds: Binding,
  firstFrame: Binding,
  lastFrame: Binding,
})
type Bindings = z.output<typeof Bindings>
/** Values for the bound inputs. An absent value leaves the input as the operator saved it. */
export type GraphValues = Readonly<Partial<Record<keyof Bindings, unknown>>>

/** Frames per second of a graph whose file states none. */
export const DEFAULT_FPS = 24

/** A file of `DATA_DIR/comfyui`: a graph, which is the model, and what to fill in. */
const GraphFile = z
  .strictObject({
    /** As saved by "Save (API format)". */
    graph: z.record(z.string(), Node),
    bindings: Bindings,
    /** Node that saves the video; absent: any node. */
    output: z.optional(z.string()),
    /** Frames per second. */
    fps: z._default(z.number().check(z.positive(), z.maximum(240)), DEFAULT_FPS),
    /** Cost to the operator, in US cents. */
    centsPerGpuSecond: z.optional(z.number().check(z.nonnegative())),
    model: z.omit(ModelFile, { id: true, routes: true, inputs: true, seed: true, negativePrompt: true }),
  })
  .check(
    z.superRefine(({ graph, bindings, output }, context) => {
      for (const [name, binding] of Object.entries(bindings)) {
        const [node, input] = partsOf(binding)
        if (!graph[node] || !(input in graph[node].inputs))
          context.addIssue({ code: 'custom', path: ['bindings', name], message: `the graph has no input ${binding}` })
      }
      if (output !== undefined && !graph[output])
        context.addIssue({ code: 'custom', path: ['output'], message: `the graph has no node ${output}` })
    }),
  )

/** Splits a place at its first dot. */
function partsOf(place: string): readonly [node: string, input: string] {
  const dot = place.indexOf('.')
  return [place.slice(0, dot), place.slice(dot + 1)]
}

type Graph = z.output<typeof GraphFile>['graph']

export interface ComfyuiGraph extends z.output<typeof GraphFile> {
  /** The catalogue entry. Its version stands for the graph too, so an event shows which graph made a video. */
  readonly entry: CatalogueModel
}

/** Parses a file of `DATA_DIR/comfyui`. @throws Error naming the fields at fault */
export function parseGraph(value: unknown, id: string): ComfyuiGraph {
  const read = z.safeParse(GraphFile, value)
  if (!read.success) throw new Error(z.prettifyError(read.error))
  const { bindings, model, graph } = read.data
  const source = { graph, bindings }
  const entry = engineModel(
    {
      ...model,
      id,
      inputs: { firstFrame: bindings.firstFrame !== undefined, lastFrame: bindings.lastFrame !== undefined },
      seed: bindings.seed !== undefined,
      negativePrompt: bindings.negativePrompt !== undefined,
      routes: [{ provider: 'comfyui', model: id }],
    },
    source,
  )
  return { ...read.data, entry }
}

/** Returns the graph with the values in the bound inputs. */
export function fillGraph({ graph, bindings }: Pick<ComfyuiGraph, 'graph' | 'bindings'>, values: GraphValues): Graph {
  const filled = structuredClone(graph)
  for (const [name, binding] of Object.entries(bindings)) {
    const [node, input] = partsOf(binding)
    const value = values[name as keyof Bindings]
    if (value !== undefined) filled[node]!.inputs[input] = value
  }
  return filled
}
