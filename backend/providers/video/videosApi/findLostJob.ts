import { setTimeout as delay } from 'node:timers/promises'
import type { RenderRequest } from '#backend/tasks/videoProvider.port.ts'
import type { ClaimedJobs } from './claimedJobs.ts'
import { promptOf } from './createForm.ts'
import type { VideoObject } from './videosApiClient.ts'

interface Lookup {
  /** When the call was sent, epoch ms. */
  readonly sentAt: number
  readonly attempts: number
  readonly intervalMs: number
  readonly signal: AbortSignal
  readonly list: (signal: AbortSignal) => Promise<readonly VideoObject[]>
  readonly claims: Pick<ClaimedJobs, 'adopt' | 'free'>
}

/** Difference allowed between the engine's clock, which counts seconds, and this one, ms. */
const CLOCK_TOLERANCE_MS = 5_000

/**
 * Looks in the engine's list for the job of a call whose answer was lost. Adopts it and returns its id, or undefined unless
 * exactly one job that belongs to no other task has the prompt and the length, and was created since. A request with pictures is never
 * matched, because the list does not show them: the job could show another user's picture.
 */
export async function findLostJob(request: RenderRequest, lookup: Lookup): Promise<string | undefined> {
  if (request.firstFrame || request.lastFrame || request.references.length > 0) return undefined
  const { sentAt, attempts, intervalMs, signal, list, claims } = lookup
  const prompt = unixLines(promptOf(request))
  const since = (sentAt - CLOCK_TOLERANCE_MS) / 1000
  for (let attempt = 1; attempt <= attempts; attempt++) {
    const jobs = await list(signal).catch(() => [])
    const matching = jobs.filter(
      (job) => unixLines(job.prompt ?? '') === prompt && (job.created_at ?? 0) >= since && hasLength(job, request),
    )
    const ids = matching.map(({ id }) => id)
    const [candidate, ...others] = await claims.free(ids, request.taskId).catch(() => [])
    if (others.length > 0) return undefined
    if (candidate !== undefined && (await claims.adopt(candidate, request.taskId).catch(() => false))) return candidate
    await delay(intervalMs, undefined, { signal }).catch(() => {})
  }
  return undefined
}

/** Returns whether a job has the length of a request, or does not say. */
const hasLength = ({ seconds }: VideoObject, { duration }: RenderRequest) =>
  !(Number(seconds) > 0) || Number(seconds) === duration

/** Multipart bodies turn line ends into CRLF. */
const unixLines = (text: string) => text.replaceAll('\r\n', '\n')
