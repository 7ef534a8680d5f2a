import type { TaskWithProgress } from '#projections/tasks/readVideoTasks.ts'
import { ValidationError } from '../../kernel/http/problemDetails.ts'
import type { Owned } from '../../kernel/ownership.ts'
import { makerName } from '../contract.ts'
import type { VideoTaskOrder } from '../events.ts'
import { CLIP_MIN_SECONDS, JOIN, JOIN_MAX_SECONDS, type JoinBody, joinedSeconds, longestFade } from './join.contract.ts'

/** A film that is made of parts of others. */
export type JoinPlan = Pick<JoinBody, 'fade' | 'title'> & {
  readonly clips: readonly Readonly<{ row: Owned<TaskWithProgress>; start: number; end: number }>[]
}

/** Measured lengths are rounded to milliseconds. */
const TOLERANCE_S = 0.002

/** Returns the plan of a request for the rows of its clips. @throws ValidationError */
export function planJoin(
  { clips, fade, title }: JoinBody,
  rows: ReadonlyMap<string, Owned<TaskWithProgress>>,
): JoinPlan {
  const planned = clips.map(({ id, start, end }, n) => {
    const row = rows.get(id)!
    const length = (row.video_duration_ms ?? 0) / 1000
    const last = end ?? length
    if (last > length + TOLERANCE_S || last - start < CLIP_MIN_SECONDS - TOLERANCE_S)
      throw new ValidationError([{ path: `clips.${n}.end`, code: 'clip_too_short' }])
    return { row, start, end: Math.min(last, length) }
  })
  const lengths = planned.map(({ start, end }) => end - start)
  if (fade > longestFade(lengths) + TOLERANCE_S) throw new ValidationError([{ path: 'fade', code: 'fade_too_long' }])
  if (joinedSeconds(lengths, fade) > JOIN_MAX_SECONDS)
    throw new ValidationError([{ path: 'clips', code: 'join_too_long' }])
  return { clips: planned, fade, title }
}

/** Returns what a joined film has in place of a generation. Its first clip gives it size and shape. */
export function joinOrder({ clips, fade }: JoinPlan) {
  const [{ row: first }] = clips as [JoinPlan['clips'][0]]
  const seconds = joinedSeconds(
    clips.map(({ start, end }) => end - start),
    fade,
  )
  const duration = Math.max(1, Math.round(seconds))
  const makers = clips.flatMap(({ row }) => (makerName(row) ?? row.model).split(SEPARATOR))
  return {
    // The prices of orders are proved by their shape: a joined film is free.
    ...{ taskType: 'text_to_video', model: JOIN, resolution: first.resolution, duration },
    ...{ modelVersion: '1', credits: 0, cameraMovements: [], promptOptimizer: false, firstFrame: null },
    shape: { taskTypes: ['text_to_video'], resolutions: [first.resolution], seconds: [duration], credits: 0 },
    ...(first.aspect_ratio ? { aspectRatio: first.aspect_ratio } : {}),
    routes: [{ provider: JOIN, model: [...new Set(makers)].join(SEPARATOR).slice(0, MAX_MAKERS) }],
    join: { clips: clips.map(({ row: { id: taskId }, start, end }) => ({ taskId, start, end })), fade },
  } satisfies Partial<VideoTaskOrder>
}

/** Between the names of what made the clips. */
const SEPARATOR = ' + '
const MAX_MAKERS = 200
