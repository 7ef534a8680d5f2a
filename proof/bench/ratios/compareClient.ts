import { EventStoreDBClient, jsonEvent } from '@eventstore/db-client'
import type { NewEvent } from '#backend/kernel/eventsourcing/eventStore.port.ts'
import { createEventStoreDb } from '#backend/kernel/eventsourcing/eventStoreDb/eventStoreDb.ts'
import { parseEventStoreUrl } from '#backend/kernel/eventsourcing/eventStoreDb/eventStoreDbSettings.ts'
import { startTestCluster } from '#backend/kernel/eventsourcing/testing/eventStoreDbTestCluster.ts'
import { compareSides } from './compareRates.ts'

/** The server of EVENTSTORE_URL, or a double of it in a process of its own, whose CPU time is not that of this process. */
export async function openEventStore() {
  const { EVENTSTORE_URL: given, EVENTSTORE_CA: ca } = process.env
  if (given) return { url: given, ca, name: 'the EventStoreDB of EVENTSTORE_URL', close: async () => {} }
  const { url, close } = await startTestCluster(1)
  return { url, ca: undefined, name: 'a double of EventStoreDB', close }
}

/**
 * Prints the CPU time of an append in this process, by our adapter, by the batch stream of the client, and by one call of
 * the client for each append.
 */
export async function compareClient(writers: number, event: () => NewEvent, run: string): Promise<void> {
  const server = await openEventStore()
  const store = createEventStoreDb({ url: server.url, ca: server.ca })
  const client = EventStoreDBClient.connectionString(server.url)
  // The client takes a call for each append where it is given credentials, and sends none without TLS.
  const credentials = parseEventStoreUrl(server.url).credentials ?? { username: 'kinora', password: '' }
  const streams = (kind: string) => {
    const revisions = new Map<number, number>()
    return (writer: number) => {
      const revision = revisions.get(writer) ?? -1
      revisions.set(writer, revision + 1)
      return { stream: `bench${run}-${kind}${writer}`, revision }
    }
  }
  const ours = (kind: string) => {
    const next = streams(kind)
    return (writer: number) => {
      const { stream, revision } = next(writer)
      return store.append(stream, revision < 0 ? 'no_stream' : revision, [event()])
    }
  }
  const theirs = (kind: string, options: object) => {
    const next = streams(kind)
    return (writer: number) => {
      const { stream, revision } = next(writer)
      const { id, type, data, meta } = event()
      const message = jsonEvent({ id, type, data: data as Record<string, unknown>, metadata: { ...meta } })
      const expectedRevision = revision < 0 ? 'no_stream' : BigInt(revision)
      return client.appendToStream(stream, message, { expectedRevision, ...options })
    }
  }
  for (const [kind, options] of Object.entries({ batch: {}, call: { credentials } })) {
    const what = `append, log in ${server.name}, peer: ${kind} of the client`
    const sides = [{ work: ours(`ours-${kind}`) }, { work: theirs(kind, options) }] as const
    const found = await compareSides(what, writers, ...sides)
    console.log(
      `CPU of an append in the adapter ÷ ${kind} of the client: ${(found.ours.cpuMs / found.peer.cpuMs).toFixed(2)}`,
    )
  }
  await store.close()
  await client.dispose()
  await server.close()
}
