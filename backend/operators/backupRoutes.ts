import type * as z from 'zod/mini'
import type { Serve } from '../kernel/http/endpoint.ts'
import { answer } from './boardRoutes.ts'
import * as contract from './contract.ts'

type Backup = z.infer<typeof contract.Backup>

/** Serves the state of the nightly backup. */
export function serveBackup(serve: Serve, read: () => Promise<Backup>): void {
  serve(contract.backup, async () => answer(await read()))
}
