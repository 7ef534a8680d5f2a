import { type Queries, readRows } from '../engine/readRows.ts'
import type { ChainHeadRow } from './chainHead.ts'

/** Yields the last verified event of every chained stream. */
export async function* readChainHeads(client: Queries): AsyncGenerator<ChainHeadRow> {
  for await (const { row } of readRows<ChainHeadRow>(client, 'chain_head')) yield row
}
