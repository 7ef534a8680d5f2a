import type { VideoFile, VideoTaskOrder } from '../events.ts'

/** The shape of a model with one price. */
const A_SHAPE = {
  taskTypes: ['text_to_video', 'image_to_video'],
  resolutions: ['768P'],
  seconds: [6],
  credits: 30,
} satisfies VideoTaskOrder['shape']

/** Returns an order of `user` for the task `task`, of a model that only the provider `demo` has. */
export const anOrder = (changes: Partial<VideoTaskOrder> = {}): VideoTaskOrder => ({
  taskId: 'task',
  userId: 'user',
  taskType: 'text_to_video',
  model: 'MiniMax-Hailuo-02',
  modelVersion: '1',
  shape: A_SHAPE,
  routes: [{ provider: 'demo', model: 'MiniMax-Hailuo-02' }],
  resolution: '768P',
  duration: 6,
  encryptedPrompt: 'sealed',
  cameraMovements: [],
  promptOptimizer: true,
  firstFrame: null,
  credits: 30,
  priority: 4,
  ...changes,
})

export const A_FILE: VideoFile = { size: 1, durationMs: 6000, width: 1366, height: 768, sha256: 'f'.repeat(64) }

/** What a request to the provider `demo` records. */
export const AN_ATTEMPT = { attempt: 'one', provider: 'demo' } as const
