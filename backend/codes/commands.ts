import type { CodeEvent } from './events.ts'

/** Data of each command, in addition to the code's id and the time. */
interface Commands {
  IssueCode: CodeEvent<'CodeIssued'>['data']
  /** `isNew`: the account has never bought credits. */
  RedeemCode: { userId: string; isNew: boolean }
  VoidCode: { by: string }
}

export type CodeCommand<T extends keyof Commands = keyof Commands> = {
  [K in T]: Readonly<{ type: K; codeId: string; at: string } & Commands[K]>
}[T]
