import { mkdtemp, rm } from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { lacksReference } from '#backend/kernel/media/marks/testing/referenceReader.ts'
import { probeMp4 } from '#backend/kernel/media/probeMp4.ts'
import { deliverShapes } from '#backend/tasks/downloads/testing/deliverShapes.ts'
import { expectMarked } from '#backend/tasks/downloads/testing/expectMarked.ts'
import type { RenderRequest, RenderState, VideoProvider } from '#backend/tasks/videoProvider.port.ts'
import { FULL } from '#backend/testing/fullRun.ts'

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

/** A provider under test, and control over the engine that it calls. Tests of what is absent are left out. */
export interface ContractWorld {
  readonly provider: VideoProvider
  /** Makes the following jobs render for at least a minute, or no longer. */
  readonly slow?: (slow: boolean) => void
  /** Makes a running job fail. */
  readonly fail?: (jobId: string, code: 'content_refused' | 'provider_failed') => void
  /** The failures that the engine tells apart; absent: both. */
  readonly failures?: readonly ('content_refused' | 'provider_failed')[]
  /** Makes the next create call take effect without a response. */
  readonly loseNextAnswer?: () => void
  /** Returns how many jobs the engine has started. */
  readonly started?: () => number
  /** Returns whether the engine has stopped rendering a job. */
  readonly isStopped?: (jobId: string) => boolean
  /** Whether this engine can stop a running job, where engines of the shape differ. */
  readonly cancels?: boolean
  readonly goAway?: () => Promise<void>
  readonly comeBack?: () => Promise<void>
}

let tasks = 1
/** Returns a request for a task of its own. */
export const newRequest = (request: Partial<RenderRequest> = {}): RenderRequest => ({
  ...REQUEST,
  taskId: `01900000-0000-7000-8000-${String(++tasks).padStart(12, '0')}`,
  ...request,
})

/** Creates a job and returns its id. Fails the test unless the provider accepts it. */
export async function acceptedJob(provider: VideoProvider, request = newRequest()): Promise<string> {
  const answer = await provider.create(request)
  return answer.kind === 'accepted' ? answer.jobId : expect.fail(JSON.stringify(answer))
}

/** Defines the contract tests that every video provider must pass. */
export function videoProviderContract(
  name: string,
  start: () => Promise<VideoProvider | ContractWorld>,
  /** The request of the tests. Providers with models of their own need another than REQUEST. */
  ask: Partial<RenderRequest> = {},
): void {
  describe(`${name} as a video provider`, () => {
    let world: ContractWorld
    let provider: VideoProvider
    let folder: string
    beforeAll(async () => {
      const started = await start()
      world = 'provider' in started ? started : { provider: started }
      provider = world.provider
      folder = await mkdtemp(path.join(os.tmpdir(), 'kinora-contract-'))
    })
    afterAll(async () => {
      await provider.close()
      await rm(folder, { recursive: true, force: true })
    })
    afterEach(() => world.slow?.(false))

    /** The first finished job, whose file several tests use: some providers take seconds for one. */
    let finished: { taskId: string; jobId: string } | undefined
    const finishedJob = async () => {
      expect(await provider.acquire()).toBe(0)
      const request = newRequest(ask)
      const jobId = await acceptedJob(provider, request)
      expect(jobId).toMatch(/\S/)
      if (provider.idempotent) expect(await acceptedJob(provider, request)).toBe(jobId)
      expect(await answerOf(provider, jobId)).toMatchObject({ kind: 'finished' })
      return { taskId: request.taskId, jobId }
    }

    it('accepts a job and produces a playable file', { timeout: 600_000 }, async () => {
      finished = await finishedJob()
      const { jobId } = finished
      const file = path.join(folder, 'video.mp4')
      await provider.fetch(jobId, file, NEVER)
      expect(await probeMp4(file)).toMatchObject({ codec: 'avc1' })
      await provider.fetch(jobId, file, NEVER)
      expect((await probeMp4(file)).frames).toBeGreaterThan(0)
      expect(await provider.cancel(jobId, NEVER)).toMatch(/too_late|unsupported/)
      expect((await provider.state(jobId, NEVER)).kind).toBe('finished')
    })

    it(`delivers marked files${FULL && lacksReference ? ` (the reference reader ${lacksReference})` : ''}`, {
      timeout: 600_000,
    }, async () => {
      const { taskId, jobId } = finished ?? (await finishedJob())
      await expectMarked(await deliverShapes(provider, { jobId, taskId, folder, copies: FULL }))
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

    it('cancels a running job only if the engine stops it', async () => {
      world.slow?.(true)
      const jobId = await acceptedJob(provider, newRequest(ask))
      const { cancels = provider.cancels } = world
      expect(await provider.cancel(jobId, NEVER)).toBe(cancels ? 'cancelled' : 'unsupported')
      if (world.isStopped) expect(world.isStopped(jobId)).toBe(cancels)
      const { kind } = await provider.state(jobId, NEVER)
      if (cancels) expect(kind).toMatch(/unknown|failed/)
      else if (world.slow) expect(kind).toMatch(/queued|rendering/)
    })

    it('does not cancel an unknown job', async () => {
      expect(await provider.cancel('no-such-job', NEVER)).toMatch(/too_late|unsupported/)
    })

    it('tells in one line that its connection works', async () => {
      expect(await provider.check(NEVER)).toEqual({ ok: true, detail: expect.stringMatching(/^\S.*$/) })
    })

    it.each(['content_refused', 'provider_failed'] as const)('reports a job that ends as %s', async (code) => {
      if (!world.fail || world.failures?.includes(code) === false) return
      world.slow?.(true)
      const jobId = await acceptedJob(provider, newRequest(ask))
      world.fail(jobId, code)
      expect(await answerOf(provider, jobId)).toMatchObject({
        kind: 'failed',
        code,
        detail: expect.stringMatching(/\S/),
      })
      await expect(provider.fetch(jobId, path.join(folder, 'failed.mp4'), NEVER)).rejects.toThrow()
    })

    it('never creates a second job after a lost answer', async () => {
      if (!world.loseNextAnswer || !world.started) return
      const before = world.started()
      const request = newRequest({ ...ask, prompt: 'A dog whose answer is lost' })
      world.loseNextAnswer()
      const answer = await provider.create(request).catch(() => undefined)
      // Only an accepted job, or an error, is correct: the job exists.
      expect(answer?.kind ?? 'accepted').toBe('accepted')
      if (provider.idempotent) await acceptedJob(provider, request)
      expect(world.started() - before).toBe(1)
    })

    it('postpones a job, and reports a failed check, while the engine is unreachable', async () => {
      if (!world.goAway || !world.comeBack) return
      await world.goAway()
      try {
        expect(await provider.create(newRequest(ask))).toMatchObject({ kind: 'postponed' })
        expect(await provider.check(NEVER)).toMatchObject({ ok: false })
        await expect(provider.state('no-such-job', NEVER)).rejects.toThrow()
      } finally {
        await world.comeBack()
      }
    })
  })
}
