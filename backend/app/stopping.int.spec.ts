import { expect, it, vi } from 'vitest'
import { eventually } from '#backend/testing/eventually.ts'
import { createProviderDouble } from '../providers/video/testing/providerDouble.ts'
import { stopwatch } from '../testing/stopwatch.ts'
import { startTestKinora } from '../testing/testKinora.ts'
import { GENERATION } from '../testing/testUser.ts'

/** Less than the five seconds after which a waiting task is read again. */
const AT_ONCE_MS = 3_500

it('a process stops at once, although a task waits for its provider', async () => {
  const acquire = vi.fn(async () => 3_600_000)
  const kinora = await startTestKinora({ provider: { ...(await createProviderDouble()), acquire } })
  const user = await kinora.newUser()
  await user.call('POST', '/videos/generate', GENERATION)
  await eventually(() => expect(acquire).toHaveBeenCalled())
  const took = stopwatch()
  await kinora.close()
  took.within(AT_ONCE_MS)
})
