import { must } from '../must.ts'
import type { Handled } from './command.ts'
import type { Appended, EventStore, GlobalPosition, StreamAppend } from './eventStore.port.ts'

/** The part of another lane in an append. The lane decides no other command until it is released. */
export interface Joined<S = unknown> {
  readonly append: StreamAppend
  /** Returns the result of the command whose events are now stored. */
  readonly stored: (appended: Appended) => Handled<S>
  readonly release: () => void
}

/** Decides a command on its lane. Returns undefined if the command has to be sent by itself. */
export type Join = () => Promise<Joined | undefined>

/** Returns the commands that follow a command, in their order, for the state after it. */
export type Following<S> = (state: S) => readonly Join[]

/** The result of a command, and those of the commands whose events were stored in the same append. */
export interface HandledTogether<S> extends Handled<S> {
  readonly followed?: readonly Handled<unknown>[]
}

/**
 * Appends the events of a lane's commands, in one commit with those of commands that follow them on other lanes, if the
 * store can. A command that cannot be stored along, and those that follow the same command after it, are left out.
 * Returns the results of the others, by the command that they followed.
 * See docs/decisions/0049-commands-that-follow-share-a-commit.md.
 */
export async function appendTogether<C extends { readonly joins: readonly Join[] }>(
  store: EventStore,
  own: StreamAppend,
  commands: readonly C[],
): Promise<{ position: GlobalPosition; followed: ReadonlyMap<C, readonly Handled<unknown>[]> }> {
  const joined: { command: C; lane: Joined }[] = []
  const followed = new Map<C, Handled<unknown>[]>()
  try {
    const appendAll = store.appendAll?.bind(store)
    if (appendAll)
      for (const command of commands) {
        // Side by side, so that lanes which read their streams share a statement.
        const lanes = await Promise.all(command.joins.map((join) => join()))
        const end = lanes.includes(undefined) ? lanes.indexOf(undefined) : lanes.length
        for (const lane of lanes.slice(end)) lane?.release()
        for (const lane of lanes.slice(0, end)) joined.push({ command, lane: must(lane, 'lane') })
      }
    if (!appendAll || joined.length === 0) {
      const { position } = await store.append(own.stream, own.expected, own.events)
      return { position, followed }
    }
    const [first, ...others] = await appendAll([own, ...joined.map(({ lane }) => lane.append)])
    for (const [n, { command, lane }] of joined.entries())
      followed.set(command, [...(followed.get(command) ?? []), lane.stored(must(others[n], 'answer'))])
    return { position: must(first, 'answer').position, followed }
  } finally {
    for (const { lane } of joined) lane.release()
  }
}
