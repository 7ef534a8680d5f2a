import type { Serve } from '../kernel/http/endpoint.ts'
import { answer } from './boardRoutes.ts'
import * as contract from './contract.ts'

export interface NowRoutes {
  /** Open cases by kind. */
  readonly cases: () => Promise<contract.Now['cases']>
  /** Number of actions that wait for another operator. */
  readonly approvals: () => Promise<number>
  readonly alerts: () => Promise<contract.Now['alerts']>
  /** Number of events that could not be projected. */
  readonly parked: () => Promise<number>
  /** Number of tasks that have waited or rendered for too long. */
  readonly stuck: () => Promise<number>
  readonly backup: () => Promise<contract.Now['backup']>
}

/** Serves what needs an operator now. */
export function serveNow(serve: Serve, { cases, approvals, alerts, parked, stuck, backup }: NowRoutes): void {
  serve(contract.now, async () => {
    const parts = await Promise.all([cases(), approvals(), alerts(), parked(), stuck(), backup()])
    const [byKind, waiting, open, events, tasks, copies] = parts
    return answer({ cases: byKind, approvals: waiting, alerts: open, parked: events, stuck: tasks, backup: copies })
  })
}
