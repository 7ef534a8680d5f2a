import type { Activities } from '../engine/engine.port.ts'

/** A run whose history is recorded: what it is given, what its activities answer in turn, and which signals it gets. */
export interface RecordedRun {
  readonly workflow: string
  /** What sets it apart from other runs of the same workflow. */
  readonly title: string
  readonly input: object
  /** The last answer is given from then on. */
  readonly answers?: Readonly<Record<string, readonly unknown[]>>
  readonly signals?: readonly string[]
}

const task = { taskId: 'task', userId: 'user' }
const user = { userId: 'user' }
const refused = { kind: 'failed', code: 'content_refused', detail: 'sensitive' }

/** Every way through every workflow, as far as minutes go. */
export const RECORDED_RUNS: readonly RecordedRun[] = [
  {
    workflow: 'generateVideo',
    title: 'finished',
    input: task,
    answers: { claimSlot: ['claimed'], render: [{ kind: 'finished' }] },
  },
  {
    workflow: 'generateVideo',
    title: 'refused after waiting',
    input: task,
    answers: { claimSlot: ['waiting', 'claimed'], render: [refused] },
    signals: ['turn'],
  },
  { workflow: 'generateVideo', title: 'cancelled', input: task, answers: { claimSlot: ['over'] } },
  {
    workflow: 'recoverVideo',
    title: 'hinted',
    input: task,
    answers: { recover: ['pending', 'over'] },
    signals: ['hint'],
  },
  {
    workflow: 'keepTerm',
    title: 'a term',
    input: user,
    answers: { settleSubscription: [50, 86_400_000, null] },
    signals: ['look', 'look'],
  },
  {
    workflow: 'takeNotice',
    title: 'early',
    input: { noticeId: 'notice' },
    answers: { readNotice: ['later', 'later', 'read'] },
  },
  { workflow: 'eraseAccount', title: 'whole', input: user },
  { workflow: 'deliverMail', title: 'sent', input: { mailId: 'mail' } },
  { workflow: 'sweepHolds', title: 'swept', input: {} },
  { workflow: 'sweepUploads', title: 'swept', input: {} },
  { workflow: 'sweepVisits', title: 'swept', input: {} },
  { workflow: 'reconcile', title: 'reconciled', input: {} },
]

export const fileOf = ({ workflow, title }: RecordedRun): string => `${workflow} ${title}.json`.replaceAll(' ', '-')

/** The activities of a run that is recorded; those of which nothing is said answer nothing. */
export function answering(names: readonly string[], { answers = {} }: RecordedRun): Activities {
  const calls = new Map<string, number>()
  const answer = (name: string) => async () => {
    const given = answers[name] ?? []
    const call = calls.get(name) ?? 0
    calls.set(name, call + 1)
    return given[Math.min(call, given.length - 1)]
  }
  return Object.fromEntries(names.map((name) => [name, answer(name)]))
}
