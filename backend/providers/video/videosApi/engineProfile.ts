import type { TaskType } from '#backend/tasks/contract.ts'

/** A video that another Kinora offers: its size in pixels, such as `1366x768`, and its length. */
export type Offer = Readonly<{ task_types: readonly string[]; size: string; seconds: number }>

/** What a server says about a model that it serves. Each program adds fields of its own. */
export interface ModelCard {
  readonly id: string
  readonly owned_by?: string | null | undefined
  /** LiteLLM: `video_generation`, `chat` and others. */
  readonly mode?: string | null | undefined
  /** SGLang: `T2V`, `I2V`, `TI2V`, `T2I` and others. */
  readonly supported_task_types?: readonly string[] | null | undefined
  /** new-api: `openai-video`, `openai`, `image-generation` and others. */
  readonly supported_endpoint_types?: readonly string[] | null | undefined
  /** LocalAI: `video`, `text` and others. It has no jobs. */
  readonly output_modalities?: readonly string[] | null | undefined
  /** Another Kinora: every video that can be ordered. */
  readonly offers?: readonly Offer[] | null | undefined
}

/** The programs whose forms differ. `other` has none of its own: a gateway, or an engine that names itself nowhere. */
export type Program = 'sglang' | 'vllm-omni' | 'new-api' | 'localai' | 'other'

/** Returns the program that serves a model, from what it says about itself. */
export function programOf(card: Omit<ModelCard, 'id'>): Program {
  const { owned_by, supported_endpoint_types, output_modalities } = card
  if (output_modalities) return 'localai'
  if (supported_endpoint_types) return 'new-api'
  if (owned_by === 'sglang') return 'sglang'
  return owned_by?.startsWith('vllm') ? 'vllm-omni' : 'other'
}

/** MiniMax-H3 (Hailuo 03) takes other fields than the other models, and different ones by each program. */
export const isH3 = (model: string): boolean => /\bh3\b/i.test(model)

/** Families of video models, and the tasks that names spell. */
const VIDEO_NAME =
  /ti?2v|i2v|video|\bh3\b|hailuo|\bwan|\bltx|hunyuan|mochi|cosmos|\bveo|kling|seedance|sora|skyreels|pyramid-?flow|framepack|vidu|pixverse|runway|gen-?[34]\b|\bray-?[23]|happyhorse/i

/** Returns the tasks of a model that makes videos; none if it makes something else; undefined if nobody knows. */
function videoTasksOf(card: ModelCard): readonly TaskType[] | undefined {
  const { supported_endpoint_types: endpoints } = card
  // LocalAI has no jobs that could be followed. See docs/decisions/0099-gateways-and-localai.md.
  if (programOf(card) === 'localai' || endpoints?.some((each) => NOT_VIDEO.test(each))) return []
  const tasks = usualTasksOf(card)
  // Other channels of new-api than this one drop a picture without a word.
  return endpoints && !isPassedOn(card) ? tasks?.filter((task) => task === 'text_to_video') : tasks
}

/** Endpoints of new-api that make something else. Channels for videos have `openai` too. */
const NOT_VIDEO = /^(?:image-generation|embeddings|jina-rerank)$/

/** Returns whether new-api sends an order on as it is, to an engine of this shape. */
const isPassedOn = ({ supported_endpoint_types }: Omit<ModelCard, 'id'>) =>
  supported_endpoint_types?.includes('openai-video') === true

/** Returns whether a gateway between passes on the prompt, the size and the length alone. */
export const isReduced = (card: ModelCard): boolean => programOf(card) === 'new-api' && !isPassedOn(card)

function usualTasksOf({ id, mode, supported_task_types, offers, ...rest }: ModelCard) {
  if (mode && !/video/i.test(mode)) return []
  if (offers) return tasksIn(offers.flatMap(({ task_types }) => task_types).join(' '))
  if (supported_task_types) return tasksIn(supported_task_types.join(' '))
  const name = id.replace(/^.*\//s, '')
  const named = tasksIn(name)
  if (named.length > 0) return named
  return mode || isPassedOn(rest) || VIDEO_NAME.test(name) ? BOTH : undefined
}

const BOTH = ['text_to_video', 'image_to_video'] as const

/** Reads T2V, I2V and TI2V from names such as `Wan2.2-I2V-A14B-Diffusers`. */
export function tasksIn(text: string): readonly TaskType[] {
  const both = /ti2v/i.test(text)
  return [
    ...(both || /t2v/i.test(text) ? (['text_to_video'] as const) : []),
    ...(both || /i2v/i.test(text) ? (['image_to_video'] as const) : []),
  ]
}

/**
 * Returns the models of a server that are offered, and those of which nobody knows whether they make videos.
 * @param wanted names that the operator allows, with `*` for any characters; undefined: all
 */
export function offeredModels(
  cards: readonly ModelCard[],
  wanted: readonly string[] | undefined,
): { offered: readonly (ModelCard & { readonly tasks: readonly TaskType[] })[]; unknown: readonly string[] } {
  if (wanted) {
    const named = wanted.filter((name) => !name.includes('*') && !cards.some(({ id }) => id === name))
    const all: readonly ModelCard[] = [...cards, ...named.map((id) => ({ id }))]
    const allowed = all.filter(({ id }) => wanted.some((name) => matches(name, id)))
    return {
      offered: allowed.map((card) => ({ ...card, tasks: videoTasksOf(card) ?? BOTH })).filter(isOffered),
      unknown: [],
    }
  }
  const judged = cards.map((card) => ({ ...card, tasks: videoTasksOf(card) }))
  return {
    offered: judged.flatMap(({ tasks, ...card }) => (tasks && tasks.length > 0 ? [{ ...card, tasks }] : [])),
    unknown: judged.filter(({ tasks }) => tasks === undefined).map(({ id }) => id),
  }
}

const isOffered = ({ tasks }: { readonly tasks: readonly TaskType[] }) => tasks.length > 0

/** Returns whether a name fits a pattern, in which `*` stands for any characters. */
function matches(pattern: string, name: string): boolean {
  const parts = pattern.split('*')
  const [first = '', ...rest] = parts
  if (rest.length === 0) return name === first
  if (!name.startsWith(first)) return false
  const last = rest.pop()!
  let at = first.length
  for (const part of rest) {
    const found = name.indexOf(part, at)
    if (found < 0) return false
    at = found + part.length
  }
  return name.length - last.length >= at && name.endsWith(last)
}
