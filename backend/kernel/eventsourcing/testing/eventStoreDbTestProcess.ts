import { readFileSync } from 'node:fs'
import { EventStoreDbTestLog } from './eventStoreDbTestLog.ts'
import type { Member } from './eventStoreDbTestMessages.ts'
import { EventStoreDbTestServer } from './eventStoreDbTestServer.ts'

/** Files of a test cluster, and the port of one member. */
export interface TestProcessOptions {
  readonly port: number
  readonly log: string
  /** JSON array of {@link Member}. Absent for a single node. */
  readonly cluster?: string
}

const FOLLOW_MS = 20

// A member of a test cluster in a process of its own, which can be killed and paused.
const { port, log: file, cluster } = JSON.parse(process.argv[2]!) as TestProcessOptions
const log = new EventStoreDbTestLog(file)
const beforeCall = (server: EventStoreDbTestServer) => {
  if (!cluster) return
  server.members = JSON.parse(readFileSync(cluster, 'utf8')) as Member[]
  const leader = server.members.find(({ state }) => state === 'leader')
  server.leader = leader?.port === port ? undefined : (leader ?? 'none')
}
await new EventStoreDbTestServer({ port, log, beforeCall }).start()
setInterval(() => log.sync(), FOLLOW_MS)
console.log('listening')
