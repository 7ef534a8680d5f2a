import { readFileSync } from 'node:fs'
import * as z from 'zod/mini'
import { UsageError } from '../../kernel/commandLine.ts'
import type { Definition } from '../../providers/video/definitions/definition.ts'
import { ANSWERED_CALLS, type AnsweredCall, explainAnswer } from '../../providers/video/definitions/explainAnswer.ts'
import { previewRequest, sampleRequest } from '../../providers/video/definitions/previewRequest.ts'
import { Answer } from '../../providers/video/definitions/shapes.ts'
import type { VideoProvider } from '../../tasks/videoProvider.port.ts'

const TIMEOUT_MS = 30_000

/** Returns the text of a file, or of the standard input for `-`. @throws UsageError */
function readText(file: string): string {
  try {
    return readFileSync(file === '-' ? 0 : file, 'utf8')
  } catch (error) {
    throw new UsageError(`--answer: ${(error as Error).message}`)
  }
}

/** Reads an answer: its JSON body, or an object of `status`, `headers` and `body`. @throws UsageError */
export function readAnswer(file: string, status: string): Answer {
  try {
    const value: unknown = JSON.parse(readText(file))
    const whole = z.safeParse(Answer, value)
    return whole.success ? whole.data : z.parse(Answer, { status: Number(status), body: value })
  } catch (error) {
    if (error instanceof UsageError) throw error
    throw new UsageError('--answer: not JSON, or --status is not an HTTP status')
  }
}

/** Checks the paths of a definition against a pasted answer. Returns the exit code. @throws UsageError */
export function checkAnswer(
  definition: Definition,
  { answer, of = 'state', status = '200' }: { answer: string; of?: string | undefined; status?: string | undefined },
  print: (text: string) => void,
): number {
  if (!ANSWERED_CALLS.includes(of as AnsweredCall)) throw new UsageError(`--of must be ${ANSWERED_CALLS.join(', ')}`)
  const { ok, conclusion, found } = explainAnswer(definition, of as AnsweredCall, readAnswer(answer, status))
  for (const [path, value] of found) print(`${path}: ${value.slice(0, 200)}`)
  print(`${ok ? 'ok' : 'failed'}: ${conclusion}`)
  return ok ? 0 : 1
}

/** Prints the request that a video of a model would send, with the key masked. @throws UsageError */
export function preview(definition: Definition, id: string | undefined): string {
  const { name, models } = definition
  const model = id === undefined ? models[0] : models.find((each) => each.id === id || each.model === id)
  if (!model) throw new UsageError(id === undefined ? `${name} has no models` : `${name} has no model ${id}`)
  return previewRequest(definition, sampleRequest(model))
}

/** Tries the connection of a provider. Returns the exit code. */
export async function tryConnection(provider: VideoProvider, print: (text: string) => void): Promise<number> {
  const { ok, detail } = await provider.check(AbortSignal.timeout(TIMEOUT_MS))
  print(`${ok ? 'ok' : 'failed'}: ${detail}`)
  return ok ? 0 : 1
}
