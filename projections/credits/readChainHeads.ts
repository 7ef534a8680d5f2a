import { type Queries, readRows } from '../engine/readRows.ts'
import { type ChainHeadRow, ChainHeadTable } from './chainHead.ts'

/** Yields the last verified event of every chained stream. */
export async function* readChainHeads(client: Queries): AsyncGenerator<ChainHeadRow> {
  for await (const { row } of readRows<ChainHeadRow>(client, ChainHeadTable.meta.tableName)) yield row
}
