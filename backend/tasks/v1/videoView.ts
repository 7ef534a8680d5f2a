import type { Task } from '../contract.ts'
import type { Video } from './v1.contract.ts'
import { sizeOf } from './videoSizes.ts'

const STATUS: Readonly<Record<Task['status'], Video['status']>> = {
  Preparing: 'queued',
  Queueing: 'queued',
  Processing: 'in_progress',
  DOWNLOADING: 'in_progress',
  Success: 'completed',
  Fail: 'failed',
}

/** Returns the percent that a video has reached, which never goes back: a finished render is still downloaded and marked. */
function progressOf({ status, progress }: Task): number {
  if (status === 'Success') return 100
  return status === 'DOWNLOADING' ? 99 : Math.min(99, Math.floor(progress ?? 0))
}

const secondsSince1970 = (time: string) => Math.floor(Date.parse(time) / 1000)

/** Returns a task as `/v1` shows it, with every field: clients take missing ones for errors. */
export function videoView(task: Task, finishedAt: string | null, publicUrl: string): Video {
  const status = STATUS[task.status]
  const { error_code: code, error_message: message } = task
  return {
    id: task.id,
    object: 'video',
    status,
    progress: progressOf(task),
    created_at: secondsSince1970(task.created_at),
    completed_at: status === 'completed' && finishedAt !== null ? secondsSince1970(finishedAt) : null,
    expires_at: null,
    model: task.model,
    prompt: task.prompt,
    seconds: String(task.duration),
    size: sizeOf(task.resolution, task.aspect_ratio),
    remixed_from_video_id: null,
    error: code === null ? null : { code, message: message ?? code },
    credits: task.credits_consumed,
    page_url: publicUrl + task.url,
  }
}
