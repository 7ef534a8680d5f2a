import { mkdirSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import path from 'node:path'
import { afterAll, beforeAll, beforeEach, onTestFinished } from 'vitest'
import { createGuard } from '#backend/kernel/http/outgoing/guardedRequest.ts'
import type { VideoProvider } from '#backend/tasks/videoProvider.port.ts'
import { openEngineWorld } from '../../testing/openEngineWorld.ts'
import { newRequest } from '../../testing/videoProviderContract.ts'
import { type ComfyuiOptions, createComfyui } from '../comfyui.ts'
import { type ComfyuiDouble, startComfyuiDouble } from './comfyuiDouble.ts'
import { WAN } from './exampleGraph.ts'

export const SERVERS = ['current', 'older'] as const
export const MODEL = { providerModel: 'wan', resolution: '720P', duration: 5, cameraMovements: [] } as const
const HEADERS = { Authorization: 'Bearer comfy-secret' }

export const request = (more: Partial<ReturnType<typeof newRequest>> = {}) => newRequest({ ...MODEL, ...more })
export const promptIdOf = (jobId: string) => jobId.split(':')[0]!
export const jobOf = (engine: ComfyuiDouble, jobId: string) => engine.jobs.get(promptIdOf(jobId))!

/** Opens the doubles of a current and an older server with one graph, for the whole file. */
export function openComfyuiWorld() {
  const { folder, lines, deps } = openEngineWorld('comfyui')
  const graphs = path.join(folder, 'graphs')
  const doubles = {} as Record<(typeof SERVERS)[number], ComfyuiDouble>
  beforeAll(async () => {
    mkdirSync(graphs)
    await writeFile(path.join(graphs, 'wan.json'), JSON.stringify(WAN))
    const header = ['Authorization', HEADERS.Authorization] as const
    doubles.current = await startComfyuiDouble({ header })
    doubles.older = await startComfyuiDouble({ older: true, header })
    world.double = doubles.current
  })
  const fresh = { renderMs: 50, busy: false, outputList: 'images', filename: 'kinora_00001_.mp4', files: 1, stepMs: 0 }
  beforeEach(() => {
    world.double = doubles.current
    for (const each of Object.values(doubles)) Object.assign(each, { ...fresh, fault: () => undefined })
  })
  afterAll(async () => {
    for (const each of Object.values(doubles)) await each.close()
  })

  const adapter = (options: Partial<ComfyuiOptions> = {}): VideoProvider =>
    createComfyui({
      baseUrl: world.double.url,
      guard: createGuard(),
      headers: HEADERS,
      folder: graphs,
      ffmpegPath: undefined,
      ...deps(),
      timing: { pollIntervalMs: 20, timeoutMs: 20_000, stallTimeoutMs: 3_000, initialOpenMs: 30_000 },
      ...options,
    })
  /** Opens an adapter until the end of the test. */
  const opened = (options: Partial<ComfyuiOptions> = {}) => {
    const provider = adapter(options)
    onTestFinished(() => provider.close())
    return provider
  }
  /** `double` is the server that adapters use; the current one at the beginning of each test. */
  const world = { folder, lines, deps, doubles, double: undefined as unknown as ComfyuiDouble, adapter, opened }
  return world
}
