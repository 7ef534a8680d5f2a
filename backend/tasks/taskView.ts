import type { TaskWithProgress } from '#projections/tasks/readVideoTasks.ts'
import { API_BASE } from '../kernel/http/contract.ts'
import { instant } from '../kernel/http/instant.ts'
import type { FailureCode, Task } from './contract.ts'

/** The sentence behind each failure code, for clients that have no catalogue. */
const SENTENCES: Readonly<Record<FailureCode, string>> = {
  cancelled: 'The task was cancelled.',
  content_refused: 'The description or the picture was refused as sensitive.',
  provider_failed: 'The video could not be made.',
  provider_unavailable: 'The video service is not available.',
  answer_lost: 'The answer of the video service was lost. Should the video come after all, it is free.',
  render_timed_out: 'The video took too long.',
  waited_too_long: 'The task waited too long for its turn.',
  internal: 'Something went wrong on our side.',
}

/** A row as the API shows it. A prompt whose key was destroyed is shown as empty. */
export async function taskView(
  row: TaskWithProgress,
  decrypt: (userId: string, sealed: string) => Promise<string | undefined>,
): Promise<Task> {
  const done = row.status === 'Success'
  const url = (kind: string, id: string) => `${API_BASE}/videos/${kind}/${id}`
  return {
    id: row.id,
    task_type: row.task_type as Task['task_type'],
    status: row.status,
    model: row.model as Task['model'],
    duration: row.duration,
    resolution: row.resolution as Task['resolution'],
    prompt: (await decrypt(row.user_id, row.encrypted_prompt)) ?? '',
    camera_movements: [...row.camera_movements] as Task['camera_movements'],
    prompt_optimizer: row.prompt_optimizer,
    first_frame_image_url: row.first_frame && url('images', row.first_frame),
    video_url: done ? url('preview', row.id) : null,
    thumbnail_url: done ? url('thumbnail', row.id) : null,
    video_duration: row.video_duration_ms === null ? null : row.video_duration_ms / 1000,
    file_size: row.video_size,
    credits_consumed: row.credits_consumed,
    created_at: instant(row.created_at),
    error_code: row.error_code,
    error_message: row.error_code && SENTENCES[row.error_code],
    progress: row.status === 'Processing' ? (row.percent ?? 0) : null,
  }
}
