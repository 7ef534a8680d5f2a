import { afterAll, beforeAll, beforeEach } from 'vitest'
import { createGuard } from '#backend/kernel/http/outgoing/guardedRequest.ts'
import { openEngineWorld } from '../../testing/openEngineWorld.ts'
import { newRequest } from '../../testing/videoProviderContract.ts'
import { createVideosApi, type VideosApiOptions } from '../videosApi.ts'
import { type Personality, startVideosApiDouble, type VideosApiDouble } from './videosApiDouble.ts'

export const KEY = 'sk-engine-secret'
export const CREATE = 'POST /v1/videos'
export const PERSONALITIES = ['vllm-omni', 'sglang'] as const
export const MODEL = {
  ...{ providerModel: 'Wan-AI/Wan2.2-T2V-A14B-Diffusers', resolution: '720P', cameraMovements: [] },
} as const
const TIMING = {
  ...{ pollIntervalMs: 20, createTimeoutMs: 2_000, queryTimeoutMs: 20_000 },
  ...{ stallTimeoutMs: 3_000, intervalMs: 20, initialOpenMs: 30_000 },
}

export const request = (more: Partial<ReturnType<typeof newRequest>> = {}) => newRequest({ ...MODEL, ...more })

/** Opens the doubles of two engines, for the whole file. */
export function openVideosApiWorld() {
  const { folder, lines, deps } = openEngineWorld('videos-api')
  const doubles = {} as Record<Personality, VideosApiDouble>
  beforeAll(async () => {
    for (const personality of PERSONALITIES)
      doubles[personality] = await startVideosApiDouble({ personality, apiKey: KEY })
    world.double = doubles['vllm-omni']
  })
  beforeEach(() => {
    world.double = doubles['vllm-omni']
    for (const each of Object.values(doubles))
      Object.assign(each, { fault: () => undefined, renderMs: 50, bucket: undefined, cancelling: 0 })
  })
  afterAll(async () => {
    for (const each of Object.values(doubles)) await each.close()
  })
  const adapter = (options: Partial<VideosApiOptions> = {}) =>
    createVideosApi({
      ...{ baseUrl: world.double.url, apiKey: KEY, guard: createGuard(), models: undefined, timing: TIMING },
      ...deps(),
      ...options,
    })
  /** `double` is the engine that adapters use; vLLM-Omni at the beginning of each test. */
  const world = { folder, lines, deps, doubles, double: undefined as unknown as VideosApiDouble, adapter }
  return world
}
