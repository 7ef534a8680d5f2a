import type { Event } from '../kernel/eventsourcing/pure/decider.ts'
import type { EventSchemas } from '../kernel/eventsourcing/pure/eventSchemas.ts'

/** Who may redeem a code: every account, or those that have never bought credits. */
export type Audience = 'all' | 'new'

/** What an operator decides about a code. `credits` are granted by each of its `uses`. */
export type CodeTerms = Readonly<{
  credits: number
  uses: number
  audience: Audience
  expiresAt: string | null
  label: string
}>

/** Data of each event, in addition to the code's id and the time. */
interface Data {
  /** `hint`: the last four characters. The code itself is not stored: its id is a keyed hash of it. */
  CodeIssued: CodeTerms & { batchId: string; hint: string; issuedBy: string }
  CodeRedeemed: { userId: string; credits: number }
  CodeVoided: { by: string }
}

/** An event of one of the types `T`; of any type by default. */
export type CodeEvent<T extends keyof Data = keyof Data> = {
  [K in T]: Event<K, { codeId: string; at: string } & Data[K]>
}[T]

export const CODE = 'code'

export const CODE_EVENTS: EventSchemas<CodeEvent['type']> = { CodeIssued: [], CodeRedeemed: [], CodeVoided: [] }
