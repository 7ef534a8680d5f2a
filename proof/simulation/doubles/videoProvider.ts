import type {
  CreateAnswer,
  ProviderCheck,
  RenderRequest,
  RenderState,
  VideoProvider,
} from '#backend/tasks/videoProvider.port.ts'
import type { Latency, Scheduler } from '../time/scheduler.ts'

const CALL: Latency = { min: 20, max: 900 }
const SLOW_CALL: Latency = { min: 900, max: 6_000 }
const DOWNLOAD: Latency = { min: 100, max: 25_000 }
const POLL_INTERVAL_MS = 5_000

interface Job {
  readonly id: string
  readonly taskId: string
  readonly startsAt: number
  readonly endsAt: number
  readonly isRefused: boolean
  isCancelled?: true
}

export interface ProviderFaults {
  isDown: boolean
  /** Probabilities, per call. */
  lostAnswers: number
  postponed: number
  refused: number
  failedDownloads: number
}

/** The video provider. Calls back zero to two times when a job ends. `onJob` sees each job that it creates. */
export class SimulatedVideoProvider implements VideoProvider {
  readonly name = 'simulated'
  readonly idempotent: boolean
  readonly cancels: boolean
  readonly pollIntervalMs = POLL_INTERVAL_MS
  readonly jobs = new Map<string, Job>()
  readonly faults: ProviderFaults = { isDown: false, lostAnswers: 0, postponed: 0, refused: 0, failedDownloads: 0 }
  callBack: (taskId: string, jobId: string) => void = () => {}
  onJob: (taskId: string) => void = () => {}
  onCancel: (taskId: string) => void = () => {}
  readonly #scheduler: Scheduler

  constructor(scheduler: Scheduler, { idempotent, cancels }: { idempotent: boolean; cancels: boolean }) {
    this.#scheduler = scheduler
    this.idempotent = idempotent
    this.cancels = cancels
  }

  acquire(): Promise<number> {
    const { random } = this.#scheduler
    return this.#scheduler.call({ min: 1, max: 10 }, () => (random.chance(0.1) ? random.integer(200, 3_000) : 0))
  }

  create({ taskId }: RenderRequest): Promise<CreateAnswer> {
    const { random } = this.#scheduler
    const { lostAnswers, postponed, refused } = this.faults
    return this.#call(CALL, () => {
      if (random.chance(postponed)) return { kind: 'postponed', detail: 'rate limited' }
      if (random.chance(refused)) return { kind: 'refused', code: 'content_refused', detail: 'refused' }
      const isLost = random.chance(lostAnswers)
      if (isLost && random.chance(0.5)) throw new Error('the connection broke before the request arrived')
      const job = this.#jobOf(taskId) ?? this.#createJob(taskId)
      if (isLost) throw new Error('the answer was lost')
      return { kind: 'accepted', jobId: job.id }
    })
  }

  state(jobId: string): Promise<RenderState> {
    return this.#call(this.#scheduler.random.chance(0.3) ? SLOW_CALL : CALL, () => {
      const job = this.jobs.get(jobId)
      const { now } = this.#scheduler
      if (!job || job.isCancelled) return { kind: 'unknown' }
      if (now < job.startsAt) return { kind: 'queued' }
      if (now < job.endsAt) return { kind: 'rendering', percent: undefined }
      return job.isRefused ? { kind: 'failed', code: 'provider_failed', detail: 'failed' } : { kind: 'finished' }
    })
  }

  fetch(jobId: string): Promise<void> {
    return this.#call(DOWNLOAD, () => {
      if (this.#scheduler.random.chance(this.faults.failedDownloads)) throw new Error('the download broke')
      if (!this.jobs.has(jobId)) throw new Error('no such job')
    })
  }

  discard(): Promise<void> {
    return this.#call(CALL, () => {})
  }

  cancel(jobId: string): Promise<'cancelled' | 'too_late'> {
    const { random } = this.#scheduler
    return this.#call(CALL, () => {
      const job = this.jobs.get(jobId)
      if (!job || this.#scheduler.now >= job.endsAt) return 'too_late'
      this.onCancel(job.taskId)
      job.isCancelled = true
      if (random.chance(this.faults.lostAnswers)) throw new Error('the answer was lost')
      return 'cancelled'
    })
  }

  check(): Promise<ProviderCheck> {
    return this.#call(CALL, () => ({ ok: true, detail: 'A simulation.' }))
  }

  async close(): Promise<void> {}

  /** A provider that is idempotent recognises the task. */
  #jobOf(taskId: string): Job | undefined {
    return this.idempotent ? [...this.jobs.values()].find((job) => job.taskId === taskId) : undefined
  }

  #createJob(taskId: string): Job {
    const { random, now } = this.#scheduler
    const startsAt = now + random.between(0, 8_000)
    const endsAt = startsAt + random.between(1_000, random.chance(0.02) ? 40 * 60_000 : 25_000)
    const job = { id: `job${this.jobs.size + 1}`, taskId, startsAt, endsAt, isRefused: random.chance(0.05) }
    this.jobs.set(job.id, job)
    this.onJob(taskId)
    for (let calls = random.integer(0, 2); calls > 0; calls--)
      this.#scheduler.schedule(endsAt - now + random.between(0, 5_000), undefined, () => this.callBack(taskId, job.id))
    return job
  }

  #call<T>(latency: Latency, perform: () => T): Promise<T> {
    return this.#scheduler.call(latency, () => {
      if (this.faults.isDown) throw new Error('the video provider is down')
      return perform()
    })
  }
}
