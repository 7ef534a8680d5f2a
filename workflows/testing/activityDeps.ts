import { expect } from 'vitest'
import { createOrigins } from '#backend/kernel/eventsourcing/createOrigins.ts'
import type { EventStore } from '#backend/kernel/eventsourcing/eventStore.port.ts'
import type { RenderState, VideoProvider } from '#backend/tasks/videoProvider.port.ts'
import type { ActivityDeps } from '../tasks/taskCommands.ts'
import { shortDelay } from './shortDelay.ts'

/** A call to a service that is down. */
export const unreachable = async (): Promise<never> => {
  throw new Error('unreachable')
}

/** A double of an idempotent provider that accepts every job, and whose files cannot be reached. */
export const providerDouble = (state: () => RenderState): VideoProvider => ({
  name: 'double',
  idempotent: true,
  cancels: false,
  pollIntervalMs: 1,
  acquire: async () => 0,
  create: async () => ({ kind: 'accepted', jobId: 'job' }),
  state: async () => state(),
  fetch: unreachable,
  cancel: async () => 'unsupported',
  discard: async () => {},
  check: async () => ({ ok: true, detail: '' }),
  close: async () => {},
})

interface World extends Pick<ActivityDeps, 'handle' | 'clock'> {
  readonly store: EventStore
  readonly provider: VideoProvider
}

/** What task activities need, with one provider. Whatever else they call is unreachable. */
export const activityDeps = ({ handle, store, provider, clock }: World): ActivityDeps => ({
  handle,
  findOrigin: createOrigins(store),
  credits: { capture: () => expect.fail(), release: unreachable },
  creditsSpent: unreachable,
  providers: new Map([['demo', provider]]),
  media: {
    put: unreachable,
    size: unreachable,
    read: () => expect.fail(),
    localPath: unreachable,
    remove: unreachable,
  },
  removals: { done: unreachable, giveUp: unreachable },
  marker: { markVideo: unreachable, markPoster: unreachable },
  assertionOf: async () => undefined,
  prepareCopies: unreachable,
  decrypt: async () => 'a cat',
  concurrentLimit: async () => 1,
  removeUnusedUploads: async () => {},
  holdsOlderThan: async () => [],
  showProgress: async () => {},
  pictureFile: unreachable,
  waitForCallback: async () => {},
  signal: async () => {},
  ffmpegPath: undefined,
  temporaryDir: '/nowhere',
  clock,
  delay: shortDelay,
})
