import type { EventStore } from '../kernel/eventsourcing/eventStore.port.ts'
import { TEAM, type TeamEvent } from './events.ts'

/** The end of a membership that its member did not bring about. `id`: the member. */
export type Departure = Readonly<{ kind: 'teamRemoved' | 'teamClosed'; id: string; joinedAt: string; at: string }>

/** Returns whom the owner of a team has removed, and who was in it when it was closed, from its events. */
export async function readDepartures(store: Pick<EventStore, 'readStream'>, teamId: string): Promise<Departure[]> {
  const joined = new Map<string, string>()
  const found: Departure[] = []
  const leave = (kind: Departure['kind'], ids: Iterable<string>, at: string) => {
    for (const id of ids) found.push({ kind, id, joinedAt: joined.get(id) ?? at, at })
  }
  for await (const { type, data } of store.readStream<TeamEvent>(`${TEAM}-${teamId}`)) {
    if (type === 'MemberJoined') joined.set(data.userId, data.at)
    if (type === 'MemberRemoved') {
      if (data.reason === 'removed') leave('teamRemoved', [data.userId], data.at)
      joined.delete(data.userId)
    }
    if (type === 'TeamClosed') {
      if (data.reason !== 'account erased') leave('teamClosed', joined.keys(), data.at)
      joined.clear()
    }
  }
  return found
}
