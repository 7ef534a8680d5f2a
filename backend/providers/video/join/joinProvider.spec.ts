import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import type { MediaStore } from '#backend/kernel/media/mediaStore.port.ts'
import type { RenderRequest, VideoProvider } from '#backend/tasks/videoProvider.port.ts'
import { eventually } from '#backend/testing/eventually.ts'

vi.mock('../../../kernel/media/joinVideos.ts', () => ({ joinVideos: async () => {} }))
const { createJoiner } = await import('./joinProvider.ts')

let joiner: VideoProvider
beforeEach(() => {
  // Looks for the clips of a join without an end.
  const media = { size: () => new Promise<never>(() => {}) } as unknown as MediaStore
  joiner = createJoiner({ media, temporaryDir: '/nowhere', ffmpegPath: undefined, isExpected: async () => true })
})
afterEach(() => joiner.close())

const join = { clips: [{ taskId: 'clip', start: 0, end: 1 }], fade: 0 }

it('joins one film at a time, and lets no time in its queue count as rendering', async () => {
  for (const taskId of ['first', 'second']) await joiner.create({ taskId, join } as unknown as RenderRequest)
  const kindOf = async (jobId: string) => (await joiner.state(jobId, new AbortController().signal)).kind
  expect([await kindOf('first'), await kindOf('second')]).toEqual(['rendering', 'queued'])
  expect(joiner.ownQueue).toBe(true)
})

it.each([
  [true, ['joined/film.mp4']],
  [false, []],
])(
  'leaves a film in the store only if it may still be delivered, whichever process has ended it: %s',
  async (...given) => {
    const [isOpen, left] = given
    const isExpected = async (taskId: string) => taskId === 'film' && isOpen
    const stored = new Set<string>()
    const media = {
      size: async () => 1,
      localPath: async (key: string) => key,
      put: async (key: string) => void stored.add(key),
      remove: async (key: string) => void stored.delete(key),
    } as unknown as MediaStore
    const other = createJoiner({ media, temporaryDir: '/nowhere', ffmpegPath: undefined, isExpected })
    await other.create({ taskId: 'film', join } as unknown as RenderRequest)
    await eventually(async () =>
      expect(await other.state('film', new AbortController().signal)).toEqual({ kind: 'finished' }),
    )
    expect([...stored]).toEqual(left)
  },
)
