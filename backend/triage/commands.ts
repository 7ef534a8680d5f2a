import type { BulkEvent, BulkOrder } from './events.ts'

/** Data of each command, in addition to the bulk's id and the time. */
interface Commands {
  AskBulk: BulkOrder
  StopBulk: { operator: string }
  EndBulk: Omit<BulkEvent<'BulkEnded'>['data'], 'bulkId' | 'at'>
}

export type BulkCommand<T extends keyof Commands = keyof Commands> = {
  [K in T]: Readonly<{ type: K; bulkId: string; at: string } & Commands[K]>
}[T]
