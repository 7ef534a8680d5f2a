import * as z from 'zod/mini'
import type { Definition } from './definition.ts'
import type { Job } from './interpretAnswer.ts'

const Stored = z.object({ id: z.string(), kept: z.record(z.string(), z.string()) })

/** Returns the `jobId` of the port: the id, or JSON if the definition keeps other values with it. */
export const encodeJob = ({ create }: Definition, job: Job): string =>
  Object.keys(create.job.keep).length > 0 ? JSON.stringify(job) : job.id

/** Reverses `encodeJob`. A text that is no record counts as the id, so that a definition may begin to keep values. */
export function decodeJob(jobId: string): Job {
  try {
    return z.parse(Stored, JSON.parse(jobId))
  } catch {
    return { id: jobId, kept: {} }
  }
}
