import type { Decided, DeskActionEvent, DeskOrder } from './events.ts'

/** Data of each command, in addition to the action's id and the time. */
interface Commands {
  AskAction: DeskOrder & Decided & { /** Why the rules refuse it, if they do. */ refused?: string }
  ApproveAction: Decided & { operatorId: string }
  RefuseAction: { operator: string; operatorId: string; why: string }
  FinishAction: Omit<DeskActionEvent<'ActionDone'>['data'], 'actionId' | 'at'>
  FailAction: { why: string; detail: string }
  /** `operator` is missing if the person stops it. */
  StopAction: { operator?: string }
}

export type DeskActionCommand<T extends keyof Commands = keyof Commands> = {
  [K in T]: Readonly<{ type: K; actionId: string; at: string } & Commands[K]>
}[T]
