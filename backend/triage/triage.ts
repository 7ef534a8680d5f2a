import type { Handle } from '../kernel/eventsourcing/handle.ts'
import { Rejection } from '../kernel/eventsourcing/pure/decider.ts'
import { derivedId } from '../kernel/eventsourcing/pure/eventHash.ts'
import { uuid7 } from '../kernel/eventsourcing/uuid7.ts'
import { ValidationError } from '../kernel/http/problemDetails.ts'
import { must } from '../kernel/must.ts'
import type { Changes } from '../kernel/postgres/changes.ts'
import type { Calendar } from '../kernel/time.ts'
import { bulk } from './bulk.decider.ts'
import { type Bulk, type BulkKind, type Group, MAX_BULK } from './contract.ts'

/** A video that is stuck or failed. */
export interface Candidate {
  readonly taskId: string
  readonly userId: string
  readonly credits: number
  readonly state: 'stuck' | 'failed'
  readonly code: string | null
  readonly engine: string | null
  readonly since: string
}

interface TriageDeps {
  readonly handle: Handle
  readonly changes: Pick<Changes, 'waitFor'>
  readonly calendar: Calendar
  /** Returns the stuck and failed videos that no action repeats yet, oldest first. */
  readonly candidates: () => Promise<readonly Candidate[]>
}

type Order = Readonly<{
  id?: string | undefined
  kind: BulkKind
  code: string | null
  engine: string | null
  dry_run: boolean
  expected?: number | undefined
  reason: string
}>

const STATES = { release_task: 'stuck', retry_task: 'failed' } as const

const summaryOf = (videos: readonly Candidate[]) => ({
  count: videos.length,
  credits: videos.reduce((sum, { credits }) => sum + credits, 0),
  people: new Set(videos.map(({ userId }) => userId)).size,
})

export type Triage = ReturnType<typeof createTriage>

/** Creates the service that groups stuck and failed videos, and orders bulks of actions. A workflow carries them out. */
export function createTriage({ handle, changes, calendar, candidates }: TriageDeps) {
  const at = () => new Date(calendar()).toISOString()

  async function viewOf(id: string): Promise<Bulk> {
    const { state, position } = await handle.read(bulk, id)
    await changes.waitFor(['deskBulks'], position)
    const { kind, operator, reason, items, isOver, isStopped, done, failed, at: asked_at } = must(state, 'bulk')
    const credits = items.reduce((sum, item) => sum + item.credits, 0)
    return {
      ...{ id, kind, operator, reason, count: items.length, credits, asked_at },
      status: isOver && !isStopped ? 'ended' : isStopped ? 'stopped' : 'running',
      done: isOver ? done : null,
      failed: isOver ? failed : null,
    }
  }

  return {
    /** Returns the groups of stuck and failed videos, the largest first. */
    async groups(): Promise<Group[]> {
      const groups = Map.groupBy(await candidates(), ({ state, code, engine }) => JSON.stringify([state, code, engine]))
      return [...groups.values()]
        .map((videos) => {
          const { state, code, engine, since } = videos[0]!
          return { state, code, engine, since, ...summaryOf(videos) }
        })
        .toSorted((a, b) => b.count - a.count)
    },

    /** Counts the videos of a group, at most 200, and orders an action for each unless it is a dry run. @throws Rejection count_changed @throws ValidationError reason */
    async order({ id = uuid7(), kind, code, engine, dry_run, expected, reason }: Order, operator: string) {
      const known = (await handle.read(bulk, id)).state !== null
      const all = known ? [] : await candidates()
      const videos = all
        .filter((each) => each.state === STATES[kind] && each.code === code && each.engine === engine)
        .slice(0, MAX_BULK)
      const summary = summaryOf(videos)
      if (dry_run) return { ...summary, bulk: null }
      if (reason === '') throw new ValidationError([{ path: 'reason', code: 'required' }])
      if (!known && videos.length !== expected)
        throw new Rejection('count_changed', `There are ${videos.length} videos now. Count them again.`)
      const items = videos.map(({ taskId, userId, credits }) => ({ taskId, userId, credits }))
      const context = { commandId: derivedId('ask bulk', id), actor: `operator:${operator}`, correlationId: id }
      await handle(bulk, id, { type: 'AskBulk', bulkId: id, operator, kind, reason, items, at: at() }, context)
      return { ...summary, bulk: await viewOf(id) }
    },

    /** @throws Rejection not_found */
    async stop(id: string, operator: string): Promise<Bulk> {
      const context = { commandId: uuid7(), actor: `operator:${operator}`, correlationId: id }
      await handle(bulk, id, { type: 'StopBulk', bulkId: id, operator, at: at() }, context)
      return viewOf(id)
    },
  }
}
