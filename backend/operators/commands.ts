import type { GivenRole } from './events.ts'

/** Data of each command, in addition to the operator's id and the time. `by` is the id of the operator who orders it. */
interface Commands {
  InviteOperator: { name: string; role: GivenRole; by: string }
  JoinOperator: object
  ChangeRole: { role: GivenRole; by: string }
  RemoveOperator: { by: string }
  /** Makes the passkeys of an operator those of the log. `keys`: public keys by credential id. */
  SetKeys: { keys: Readonly<Record<string, string>> }
}

/** `bootstrap`: name of the operator of the environment. */
export type OperatorRollCommand<T extends keyof Commands = keyof Commands> = {
  [K in T]: Readonly<{ type: K; operatorId: string; at: string; bootstrap: string } & Commands[K]>
}[T]
