import { afterEach, beforeEach, expect, it } from 'vitest'
import type { MediaStore } from '#backend/kernel/media/mediaStore.port.ts'
import type { RenderRequest, VideoProvider } from '#backend/tasks/videoProvider.port.ts'
import { createJoiner } from './joinProvider.ts'

let joiner: VideoProvider
beforeEach(() => {
  // Looks for the clips of a join without an end.
  const media = { size: () => new Promise<never>(() => {}) } as unknown as MediaStore
  joiner = createJoiner({ media, temporaryDir: '/nowhere', ffmpegPath: undefined })
})
afterEach(() => joiner.close())

const join = { clips: [{ taskId: 'clip', start: 0, end: 1 }], fade: 0 }

it('joins one film at a time, and lets no time in its queue count as rendering', async () => {
  for (const taskId of ['first', 'second']) await joiner.create({ taskId, join } as unknown as RenderRequest)
  const kindOf = async (jobId: string) => (await joiner.state(jobId, new AbortController().signal)).kind
  expect([await kindOf('first'), await kindOf('second')]).toEqual(['rendering', 'queued'])
  expect(joiner.ownQueue).toBe(true)
})
