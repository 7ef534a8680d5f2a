import type { Definition } from './definition.ts'
import { interpretCreated, interpretError, interpretResult, interpretState, resultUrl } from './interpretAnswer.ts'
import { readPath } from './readPath.ts'
import type { Answer } from './shapes.ts'

export const ANSWERED_CALLS = ['create', 'state', 'result'] as const
export type AnsweredCall = (typeof ANSWERED_CALLS)[number]

export interface Explanation {
  /** Whether Kinora can work with the answer. */
  readonly ok: boolean
  /** What Kinora concludes, in one line. */
  readonly conclusion: string
  /** Each path of the definition that this answer is read with, and what is there. */
  readonly found: readonly (readonly [path: string, value: string])[]
}

/** Checks the paths of a definition against an answer of the provider. */
export function explainAnswer(definition: Definition, call: AnsweredCall, answer: Answer): Explanation {
  const found = pathsOf(definition, call).map((path) => {
    const value = readPath(answer.body, path)
    return [path, value === undefined ? 'nothing' : JSON.stringify(value)] as const
  })
  try {
    return { ...conclude(definition, call, answer), found }
  } catch (error) {
    return { ok: false, conclusion: (error as Error).message, found }
  }
}

function conclude(definition: Definition, call: AnsweredCall, answer: Answer): Omit<Explanation, 'found'> {
  if (call === 'create') {
    const job = interpretCreated(definition, answer)
    if (job) return { ok: true, conclusion: `accepted as the job ${[job.id, ...Object.values(job.kept)].join(', ')}` }
    const { kind, message } = interpretError(definition, answer)
    const outcome = kind === 'unknown' ? 'the job may exist' : 'certainly no job'
    return { ok: kind !== 'unknown', conclusion: `${message}: ${kind}, ${outcome}` }
  }
  const state = call === 'state' ? interpretState(definition, answer) : interpretResult(definition, answer)
  const url = state.kind === 'finished' ? resultUrl(definition, answer) : undefined
  return { ok: true, conclusion: [JSON.stringify(state), url].filter(Boolean).join(' ') }
}

function pathsOf({ create, state, result, errors }: Definition, call: AnsweredCall): readonly string[] {
  if (call === 'create') return [create.job.id, ...Object.values(create.job.keep), ...errors.paths]
  const ofResult = [...result.url, ...[result.seconds, result.cost?.path].filter((path) => path !== undefined)]
  if (call === 'result') return [...ofResult, ...errors.paths]
  return [
    state.status,
    ...(state.progress ? [state.progress.path] : []),
    ...(result.call ? [] : ofResult),
    ...errors.paths,
  ]
}
