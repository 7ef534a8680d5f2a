import { readFileSync } from 'node:fs'
import { registerHooks } from 'node:module'
import path from 'node:path'
import { pathToFileURL } from 'node:url'

const ROOT = path.resolve(import.meta.dirname, '../../..')

interface Edit {
  readonly file: string
  /** Text that occurs once in the file, and what replaces it. */
  readonly from: string
  readonly to: string
}

/** A fault that the product had, or could have, and the invariant that it breaks. */
export interface Fault {
  readonly invariant: string
  /** A history that breaks it. A later change of the product may make it another one. */
  readonly seed: number
  readonly edits: readonly Edit[]
}

/** Faults that can be put back. The simulation must find each of them. */
export const FAULTS: Readonly<Record<string, Fault>> = {
  'an event that cannot be projected stops its read model': {
    invariant: 'read models catch up',
    seed: 23,
    edits: [
      {
        file: 'projections/engine/foldOrPark.ts',
        from: '      blocked.add(row)\n      parked.push({ event, row, error })',
        to: '      throw error',
      },
    ],
  },
  'generate answers from the read model': {
    invariant: 'an accepted task is answered',
    seed: 33,
    edits: [
      { file: 'backend/tasks/tasks.ts', from: 'import { foldVideoTask,', to: 'import { readVideoTasks,' },
      { file: 'backend/tasks/tasks.ts', from: 'created = rowAfter(submitted.appended ?? [])', to: '' },
      {
        file: 'backend/tasks/tasks.ts',
        from: 'const row = await foldVideoTask(store, taskId)',
        to: 'await new Promise((resolve) => setTimeout(resolve, 1_000)); const [row] = await readVideoTasks(store as never, [taskId])',
      },
      { file: 'backend/tasks/tasks.ts', from: 'readRow(store, taskId)', to: 'readRow(database as never, taskId)' },
      { file: 'backend/tasks/tasks.ts', from: 'readRow(store, task.id)', to: 'readRow(database as never, task.id)' },
      {
        file: 'backend/tasks/tasks.ts',
        from: "if (!row) throw new Rejection('not_found'",
        to: "if (!row) throw new Rejection('unavailable'",
      },
    ],
  },
  'workflows start one after another': {
    invariant: 'workflows start soon',
    seed: 117,
    edits: [{ file: 'workflows/engine/logTriggers.ts', from: 'const IN_FLIGHT = 32', to: 'const IN_FLIGHT = 1' }],
  },
  'streams are not verified': {
    invariant: 'credits are conserved',
    seed: 4,
    edits: [
      {
        file: 'backend/kernel/eventsourcing/pure/applyStored.ts',
        from: 'if (revision !== known.revision + 1)',
        to: 'if (false)',
      },
      { file: 'backend/kernel/eventsourcing/pure/applyStored.ts', from: 'if (hashChained && ', to: 'if (false && ' },
    ],
  },
  'a worker that wakes settles a video that another one copies': {
    invariant: 'released only after the end',
    seed: 99,
    edits: [
      { file: 'workflows/tasks/taskActivities.ts', from: '      refuseOlderLease(state, deps.lease)\n', to: '' },
      {
        file: 'workflows/tasks/taskActivities.ts',
        from: "      if (!isEnded(state)) throw new Error('the task has not ended')\n",
        to: '',
      },
      {
        file: 'workflows/tasks/pollJob.ts',
        from: "if (read.status !== 'rendering') return undefined",
        to: "if (read.status !== 'rendering') return { kind: 'over' }",
      },
    ],
  },
  'a lost answer is asked again': {
    invariant: 'one job per attempt',
    seed: 65,
    edits: [
      {
        file: 'workflows/tasks/pollJob.ts',
        from: "job.kind === 'unknown' && provider.idempotent",
        to: "job.kind === 'unknown'",
      },
    ],
  },
  'a cancelled video is downloaded': {
    invariant: 'a cancelled task is not delivered',
    seed: 5,
    edits: [
      {
        file: 'backend/tasks/videoTask.decider.ts',
        from: 'return task.cancelRequestedAt ? [cancelled(task, fact)] : [',
        to: 'return [',
      },
      {
        file: 'workflows/tasks/pollJob.ts',
        from: 'if (isCancelled(state) && (await stopJob(provider, state, signal))) return CANCELLED',
        to: '',
      },
    ],
  },
  'a worker goes on after it has cancelled a job': {
    invariant: 'asked once to cancel',
    seed: 255,
    edits: [
      {
        file: 'workflows/tasks/pollJob.ts',
        from: 'if (isCancelled(state) && (await stopJob(provider, state, signal))) return CANCELLED',
        to: 'if (isCancelled(state)) await stopJob(provider, state, signal)',
      },
    ],
  },
  'a dispute that is won gives nothing back': {
    invariant: 'claims follow the money',
    seed: 171,
    edits: [{ file: 'backend/subscriptions/takenBack.rules.ts', from: "kind === 'refund' || !isWon", to: 'true' }],
  },
  'the limit of a member is only shown': {
    invariant: 'credits are conserved',
    seed: 37,
    edits: [
      {
        file: 'backend/credits/creditAccount.decider.ts',
        from: 'if (spentBy) assertMayHold(account.keys, account.team.spenders, spentBy, amount, at)',
        to: '',
      },
      {
        file: 'backend/credits/invariants.rules.ts',
        from: 'if (member && passes(limitsOf(member)))',
        to: 'if (false)',
      },
    ],
  },
  'an account never learns of a change of the team whose request died': {
    invariant: 'teams spend as their owners allow',
    seed: 107,
    edits: [{ file: 'workflows/teams/teamTriggers.ts', from: 'run: () => tell(teamId)', to: 'run: async () => {}' }],
  },
  'a lane takes the event of another process for its own': {
    invariant: 'streams stay verifiable',
    seed: 276,
    edits: [
      {
        file: 'backend/kernel/eventsourcing/lane.ts',
        from: 'event.type, index, JSON.stringify([event.data, meta])',
        to: 'event.type, index',
      },
    ],
  },
}

/**
 * Puts a fault back into the product's source when it is loaded. Call it before the product is loaded.
 * @throws if the source has changed so that the fault no longer fits
 */
export function putBack({ edits }: Fault): void {
  const sources = new Map<string, string>()
  for (const { file, from, to } of edits) {
    const url = pathToFileURL(path.join(ROOT, file)).href
    const source = sources.get(url) ?? readFileSync(path.join(ROOT, file), 'utf8')
    const found = source.split(from).length - 1
    if (found !== 1) throw new Error(`${file} contains ${found} times instead of once: ${from}`)
    sources.set(
      url,
      source.replace(from, () => to),
    )
  }
  registerHooks({
    load(url, context, next) {
      const loaded = next(url, context)
      const source = sources.get(url)
      return source === undefined ? loaded : { ...loaded, source }
    },
  })
}
