import { mkdtemp, rm } from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { probeMp4 } from '#backend/kernel/media/probeMp4.ts'
import type { RenderRequest, RenderState, VideoProvider } from '#backend/tasks/videoProvider.port.ts'

export const REQUEST: RenderRequest = {
  taskId: '01900000-0000-7000-8000-000000000001',
  taskType: 'text_to_video',
  model: 'MiniMax-Hailuo-02',
  providerModel: 'MiniMax-Hailuo-02',
  resolution: '768P',
  duration: 6,
  prompt: 'A cat on a hill at sunset',
  promptOptimizer: true,
  cameraMovements: ['左移', '上升'],
  firstFrame: undefined,
  lastFrame: undefined,
  references: [],
  aspectRatio: undefined,
  seed: undefined,
  negativePrompt: undefined,
  sound: undefined,
}

export const NEVER = new AbortController().signal

/** Polls a job until it ends, and returns its final state. */
export async function answerOf(provider: VideoProvider, jobId: string): Promise<RenderState> {
  for (;;) {
    const state = await provider.state(jobId, NEVER)
    if (state.kind !== 'queued' && state.kind !== 'rendering') return state
    await delay(Math.min(provider.pollIntervalMs, 250))
  }
}

/** Defines the contract tests that every video provider must pass. */
export function videoProviderContract(name: string, start: () => Promise<VideoProvider>): void {
  describe(`${name} as a video provider`, () => {
    let provider: VideoProvider
    let folder: string
    beforeAll(async () => {
      provider = await start()
      folder = await mkdtemp(path.join(os.tmpdir(), 'kinora-contract-'))
    })
    afterAll(async () => {
      await provider.close()
      await rm(folder, { recursive: true, force: true })
    })

    it('accepts a job and produces a playable file', { timeout: 180_000 }, async () => {
      expect(await provider.acquire()).toBe(0)
      const answer = await provider.create(REQUEST)
      if (answer.kind !== 'accepted') return expect.fail(answer.kind)
      expect(answer.jobId).toMatch(/\S/)
      if (provider.idempotent) expect(await provider.create(REQUEST)).toEqual(answer)
      expect(await answerOf(provider, answer.jobId)).toMatchObject({ kind: 'finished' })
      const file = path.join(folder, 'video.mp4')
      await provider.fetch(answer.jobId, file, NEVER)
      expect(await probeMp4(file)).toMatchObject({ codec: 'avc1' })
      await provider.fetch(answer.jobId, file, NEVER)
      expect((await probeMp4(file)).frames).toBeGreaterThan(0)
    })

    it('never reports an unknown job as finished and has no file for it', async () => {
      expect((await provider.state('no-such-job', NEVER)).kind).toMatch(/unknown|failed/)
      await expect(provider.fetch('no-such-job', path.join(folder, 'none.mp4'), NEVER)).rejects.toThrow()
    })

    it('discards a task repeatedly, also an unknown one', async () => {
      await provider.discard(REQUEST.taskId)
      await provider.discard(REQUEST.taskId)
      await provider.discard('no-such-task')
    })
  })
}
