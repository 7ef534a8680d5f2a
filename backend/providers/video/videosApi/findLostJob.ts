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

/** `absent`: the engine's list has no job that could be the request's. `unclear`: it may have one, or was not read. */
type Found = { readonly jobId: string } | 'absent' | 'unclear'

/**
 * Looks in the engine's list for the job of a call whose answer was lost. Adopts it and returns its id if exactly
 * one job that belongs to no other task has the prompt and the length, and was created since. A request with pictures is never
 * matched, because the list does not show them: the job could show another user's picture.
 */
export async function findLostJob(request: RenderRequest, lookup: Lookup): Promise<Found> {
  const { sentAt, attempts, intervalMs, signal, claims } = lookup
  const hasPictures = Boolean(request.firstFrame || request.lastFrame || request.references.length > 0)
  const prompt = unixLines(promptOf(request))
  const since = (sentAt - CLOCK_TOLERANCE_MS) / 1000
  /** Returns whether a job could be the request's: what the list does not say, it does not contradict. */
  const isPossible = (job: VideoObject) =>
    unixLines(job.prompt ?? prompt) === prompt && (job.created_at ?? since) >= since && hasLength(job, request)
  let found: Found = 'unclear'
  for (let attempt = 1; attempt <= attempts; attempt++) {
    const possible = await readFree(lookup, isPossible, request.taskId).catch(() => undefined)
    const [job, ...others] = (possible ?? []).filter((each) => !hasPictures && each.prompt && each.created_at)
    if (others.length > 0) return 'unclear'
    if (job && (await claims.adopt(job.id, request.taskId).catch(() => false))) return { jobId: job.id }
    found = possible?.length === 0 ? 'absent' : 'unclear'
    await delay(intervalMs, undefined, { signal }).catch(() => {})
  }
  return found
}

/** Returns the jobs of the list that fit and belong to no other task. */
async function readFree({ list, claims, signal }: Lookup, fits: (job: VideoObject) => boolean, taskId: string) {
  const jobs = (await list(signal)).filter(fits)
  const ids = jobs.map(({ id }) => id)
  const free = await claims.free(ids, taskId)
  return jobs.filter(({ id }) => free.includes(id))
}

/** Returns whether a job has the length of a request, or does not say. */
const hasLength = ({ seconds }: VideoObject, { duration }: RenderRequest) =>
  !(Number(seconds) > 0) || Number(seconds) === duration

/** Multipart bodies turn line ends into CRLF. */
const unixLines = (text: string) => text.replaceAll('\r\n', '\n')
