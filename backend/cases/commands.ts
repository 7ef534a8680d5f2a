import type { CaseEvent, Opening } from './events.ts'

/** Data of each command, in addition to the case's id and the time. */
interface Commands {
  OpenCase: Opening
  AssignCase: Omit<CaseEvent<'CaseAssigned'>['data'], 'caseId' | 'at'>
  CloseCase: Omit<CaseEvent<'CaseClosed'>['data'], 'caseId' | 'at'>
}

export type CaseCommand<T extends keyof Commands = keyof Commands> = {
  [K in T]: Readonly<{ type: K; caseId: string; at: string } & Commands[K]>
}[T]
