import { on } from 'node:events'
import { parentPort, workerData } from 'node:worker_threads'
import { hashLedger } from '../audit/hashedLedger.ts'
import { type LedgerPlace, openLedgerStore } from './auditStore.ts'

/** The thread that an audit reads and hashes the ledger in: answers each message with a page, the one after the last with 'end'. */
const port = parentPort!
const asked = on(port, 'message')
const { store, close } = openLedgerStore(workerData as LedgerPlace)
for await (const page of hashLedger(store)) {
  await asked.next()
  port.postMessage(page)
}
await close()
port.postMessage('end')
port.close()
