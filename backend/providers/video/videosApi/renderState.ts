import type { RenderState } from '#backend/tasks/videoProvider.port.ts'
import { isPolicyViolation, type VideoObject } from './videosApiClient.ts'

/** Gateways pass on the words of their suppliers. */
const FINISHED = ['completed', 'succeeded', 'success', 'done']
const FAILED = ['failed', 'fail', 'error', 'cancelled', 'canceled', 'expired']

/** Converts a video object to the state of its job. An unknown status counts as running. */
export function renderStateOf(job: VideoObject): RenderState {
  const status = job.status.toLowerCase()
  if (FINISHED.includes(status)) {
    const seconds = Number(job.seconds)
    return seconds > 0 ? { kind: 'finished', seconds } : { kind: 'finished' }
  }
  if (FAILED.includes(status)) {
    const detail = [job.error?.code, job.error?.message].filter(Boolean).join(' ') || `The engine reports ${status}.`
    return { kind: 'failed', code: codeOf(detail), detail }
  }
  if (status === 'queued') return { kind: 'queued' }
  return { kind: 'rendering', percent: percentOf(job.progress) }
}

export const codeOf = (detail: string) => (isPolicyViolation(detail) ? 'content_refused' : 'provider_failed')

/** Some engines report 0 until the end, which says nothing. */
const percentOf = (progress: number | null | undefined) =>
  progress && progress > 0 && progress <= 100 ? Math.round(progress) : undefined
