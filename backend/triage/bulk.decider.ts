import { type Decider, Rejection } from '../kernel/eventsourcing/pure/decider.ts'
import type { BulkCommand } from './commands.ts'
import { BULK, BULK_EVENTS, type BulkEvent, type BulkOrder } from './events.ts'

type Asked = BulkOrder & Readonly<{ at: string; isStopped: boolean; isOver: boolean; done: number; failed: number }>
/** Null: no such bulk was asked for. */
export type Bulk = Asked | null

function evolve(bulk: Bulk, { type, data }: BulkEvent): Bulk {
  switch (type) {
    case 'BulkAsked': {
      const { bulkId: _, ...order } = data
      return { ...order, isStopped: false, isOver: false, done: 0, failed: 0 }
    }
    case 'BulkStopped':
      return bulk && { ...bulk, isStopped: true }
    case 'BulkEnded':
      return bulk && { ...bulk, isOver: true, done: data.done, failed: data.failed }
  }
}

function decide(command: BulkCommand, bulk: Bulk): readonly BulkEvent[] {
  switch (command.type) {
    case 'AskBulk': {
      const { type: _, ...data } = command
      return bulk ? [] : [{ type: 'BulkAsked', data }]
    }
    case 'StopBulk': {
      const { type: _, ...data } = command
      if (!bulk) throw new Rejection('not_found', 'There is no such bulk.')
      return bulk.isOver || bulk.isStopped ? [] : [{ type: 'BulkStopped', data }]
    }
    case 'EndBulk': {
      const { type: _, ...data } = command
      return !bulk || bulk.isOver ? [] : [{ type: 'BulkEnded', data }]
    }
  }
}

/** Decides a bulk of actions, in one stream per bulk. See docs/decisions/0090-triage.md. */
export const bulk: Decider<Bulk, BulkCommand, BulkEvent> = {
  category: BULK,
  schemas: BULK_EVENTS,
  initial: null,
  evolve,
  decide,
  begins: ({ type }) => type === 'AskBulk',
  weight: (state) => 300 + 150 * (state?.items.length ?? 0),
}
