import type { Event } from '../kernel/eventsourcing/pure/decider.ts'
import type { EventSchemas } from '../kernel/eventsourcing/pure/eventSchemas.ts'
import type { CaseKind, CaseOutcome } from './contract.ts'

/** What an operator should look at. It names no person but by ids. */
export type Opening = Readonly<{
  kind: CaseKind
  /** Id of the sale, refund, dispute, webhook or video that it is about. One case for each kind and subject. */
  subject: string
  /** What opened it. The same source opens it once, so that a case that was ended stays so. */
  source: string
  userId?: string
  saleId?: string
  /** In the smallest unit of the currency. */
  amount?: number
  currency?: string
  /** Cause or reason, as a word. */
  detail?: string
  /** When an answer is due, as ISO 8601. */
  dueAt?: string
}>

/** Data of each event, in addition to the case's id and the time. */
interface Data {
  /** Appended again if a closed case is opened by another source. */
  CaseOpened: Opening
  /** `owner` works on it; null: it was given back. */
  CaseAssigned: { owner: string | null; by: string }
  /** `by` is missing if the log ended it, for example because its sale was refunded. */
  CaseClosed: { outcome: CaseOutcome; by?: string; note?: string }
}

/** An event of one of the types `T`; of any type by default. */
export type CaseEvent<T extends keyof Data = keyof Data> = {
  [K in T]: Event<K, { caseId: string; at: string } & Data[K]>
}[T]

export const CASE = 'case'

export const CASE_EVENTS: EventSchemas<CaseEvent['type']> = { CaseOpened: [], CaseAssigned: [], CaseClosed: [] }
