import { on } from 'node:events'
import { parentPort, workerData } from 'node:worker_threads'
import { readCanonical } from '../../audit/canonicalLedger.ts'
import { must } from '../../kernel/must.ts'
import { type LedgerPlace, openReadOnly } from './openStore.ts'

// Worker thread in which an audit reads the ledger. It answers each message with the next page, or with
// 'end' after the last page.
const port = must(parentPort, 'parent port')
const requests = on(port, 'message')
const { store, close } = await openReadOnly(workerData as LedgerPlace)
for await (const page of readCanonical(store)) {
  await requests.next()
  port.postMessage(page)
}
await close()
port.postMessage('end')
port.close()
