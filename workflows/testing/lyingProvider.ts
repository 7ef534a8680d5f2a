import type { CreateAnswer, RenderState, VideoProvider } from '#backend/tasks/videoProvider.port.ts'

export const POSTPONED = { kind: 'postponed', detail: 'busy' } as const
export const UNAVAILABLE = { kind: 'refused', code: 'provider_unavailable', detail: 'no balance' } as const
export const REFUSED = { kind: 'refused', code: 'content_refused', detail: 'sensitive' } as const
export const LOST = 'the answer was lost'

/** Answers of a provider. `taken`: a job was created although the answer was lost; `dropped`: it was not. */
export type Answer = 'accepted' | 'taken' | 'dropped' | typeof POSTPONED | typeof UNAVAILABLE | typeof REFUSED

/** A provider double that answers each task as `answerTo` says. */
export class LyingProvider implements VideoProvider {
  readonly name: string
  readonly idempotent = false
  readonly cancels = true
  readonly pollIntervalMs = 1
  /** Tasks that it was asked to make, and the jobs that it created. */
  readonly asked: string[] = []
  readonly jobs: string[] = []
  readonly cancelled: string[] = []
  readonly discarded: string[] = []
  answerTo: (taskId: string, call: number) => Answer = () => 'accepted'
  stateOf: (jobId: string) => RenderState = () => ({ kind: 'finished' })
  wait = 0

  constructor(name: string) {
    this.name = name
  }
  acquire = async () => this.wait
  async create({ taskId }: { readonly taskId: string }): Promise<CreateAnswer> {
    this.asked.push(taskId)
    const answer = this.answerTo(taskId, this.asked.filter((asked) => asked === taskId).length)
    if (answer === 'accepted' || answer === 'taken') this.jobs.push(taskId)
    if (answer === 'taken' || answer === 'dropped') throw new Error(LOST)
    return answer === 'accepted' ? { kind: 'accepted', jobId: `${this.name} ${taskId}` } : answer
  }
  state = async (jobId: string) => this.stateOf(jobId)
  fetch = async () => {}
  cancel = async (jobId: string) => {
    this.cancelled.push(jobId)
    return 'cancelled' as const
  }
  discard = async (taskId: string) => void this.discarded.push(taskId)
  check = async () => ({ ok: true, detail: '' })
  close = async () => {}
}
