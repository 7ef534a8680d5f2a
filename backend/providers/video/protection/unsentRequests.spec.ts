import { expect, it, vi } from 'vitest'
import { createMinimaxProvider } from '../minimax/minimaxProvider.ts'
import { REQUEST } from '../testing/videoProviderContract.ts'
import { createVideosApiProvider } from '../videosApi/videosApiProvider.ts'

it.each([
  ['MiniMax', createMinimaxProvider],
  ['the shape of /v1/videos', createVideosApiProvider],
])('a picture that cannot be read postpones a task at %s, because nothing was sent', async (_, createProvider) => {
  const create = vi.fn()
  const recordFailure = vi.fn(async () => false)
  const client = { create, models: async () => [], list: async () => [] }
  const provider = createProvider({
    ...{ client, api: client, breaker: { recordFailure }, log: { warn: () => {} } },
    ...{ callbackUrl: () => undefined, clock: () => 0 },
  } as never)
  const answer = await provider.create({ ...REQUEST, firstFrame: '/nowhere/first.jpg' })
  expect(answer).toMatchObject({ kind: 'postponed', detail: expect.stringContaining('ENOENT') })
  expect(create).not.toHaveBeenCalled()
  // A fault that stays opens the breaker, so that the task is not asked for again and again.
  expect(recordFailure).toHaveBeenCalledOnce()
})
