import * as z from 'zod/mini'
import { parseLossless } from './losslessJson.ts'

const Callback = z.object({
  challenge: z.optional(z.union([z.string(), z.number()])),
  task_id: z.optional(z.union([z.string(), z.int()])),
})

/** What is of use in a callback's body; nothing where it cannot be read. */
export function readCallback(text: string): { challenge?: string | number; jobId?: string } {
  let body: unknown
  try {
    body = parseLossless(text)
  } catch {
    return {}
  }
  const parsed = z.safeParse(Callback, body)
  if (!parsed.success) return {}
  const { challenge, task_id } = parsed.data
  return {
    ...(challenge === undefined ? {} : { challenge }),
    ...(task_id === undefined ? {} : { jobId: String(task_id) }),
  }
}
