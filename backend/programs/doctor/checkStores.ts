import { randomUUID } from 'node:crypto'
import { existsSync } from 'node:fs'
import path from 'node:path'
import type { Config } from '../../app/config/readConfig.ts'
import { refuseFormerData } from '../../app/schema.ts'
import { createEventStoreDb } from '../../kernel/eventsourcing/eventStoreDb/eventStoreDb.ts'
import { PROBE_STREAM } from '../../kernel/eventsourcing/eventStoreDb/eventStoreDbProbe.ts'
import { connectDatabase } from '../../kernel/postgres/connect.ts'
import { connectClient } from '../../kernel/postgres/connectClient.ts'
import { readMigrations } from '../../kernel/postgres/orm.ts'
import { proveDatabase } from '../../kernel/postgres/proveDatabase.ts'
import type { Check } from './check.ts'

const CONNECT_MS = 10_000
/** Links and second factors are valid for seconds to minutes, so clocks must agree. */
const MAX_CLOCK_DIFFERENCE_MS = 2_000

async function examineDatabase({ database, dataDir }: Pick<Config, 'database' | 'dataDir'>): Promise<string> {
  const version = database && (await proveDatabase({ connectionString: database.url }))
  if (!database && !existsSync(path.join(dataDir, 'postgres/PG_VERSION')))
    return 'embedded, and is made at the first start'
  const { connection, stop } = await connectDatabase({ databaseUrl: database?.url, dataDir }, () => {})
  try {
    const client = await connectClient(connection)
    const migrations = await readMigrations(client).finally(() => client.end())
    refuseFormerData(migrations ?? [])
  } finally {
    await stop()
  }
  return version ? `PostgreSQL ${version}, and its clock agrees` : 'embedded, and exists'
}

async function examineEventStore({ url, ca }: { url: string; ca: string | undefined }): Promise<string> {
  const store = createEventStoreDb({ url, ca, log: { warn: () => {} } as never })
  try {
    await store.probe()
    const fault = await store.releaseFault()
    if (fault) throw new Error(fault)
    const event = { id: randomUUID(), type: 'ClockCompared', data: {} }
    const asked = Date.now()
    const { revision } = await store.append(PROBE_STREAM, 'any', [event])
    for await (const { created } of store.readStream(PROBE_STREAM, revision)) refuseOtherTime(created, asked)
    return 'an event was appended, and its clock agrees'
  } finally {
    await store.close()
  }
}

/** @param asked when the server was asked for its time. @throws Error the time is not between then and now */
function refuseOtherTime(time: Date, asked: number): void {
  const difference = Math.max(asked - time.getTime(), time.getTime() - Date.now())
  if (difference > MAX_CLOCK_DIFFERENCE_MS)
    throw new Error(`its clock differs from the one of this machine by ${Math.round(difference / 1000)} s`)
}

async function examineTemporal({ namespace, ...server }: NonNullable<Config['temporal']>): Promise<string> {
  const { Connection } = await import('@temporalio/client')
  const connection = await Connection.connect({ ...server, connectTimeout: CONNECT_MS })
  try {
    await connection.workflowService.describeNamespace({ namespace })
    return `the namespace ${namespace} exists`
  } finally {
    await connection.close()
  }
}

/** The checks of the database, the event log and the workflow engine. */
export function storeChecks({ database, dataDir, eventStore, temporal }: Config): Check[] {
  return [
    {
      name: 'database',
      examine: () => examineDatabase({ database, dataDir }),
    },
    {
      name: 'event log',
      examine: async () => (eventStore ? examineEventStore(eventStore) : 'in PostgreSQL'),
      advice: 'Check EVENTSTORE_URL, its user, EVENTSTORE_CA, and the clocks: docs/eventstoredb.md.',
    },
    {
      name: 'workflows',
      examine: async () => (temporal ? examineTemporal(temporal) : 'in this process'),
      advice:
        'Check TEMPORAL_ADDRESS, TEMPORAL_TLS and TEMPORAL_API_KEY, and create the namespace: temporal operator namespace create -n <TEMPORAL_NAMESPACE>.',
    },
  ]
}
