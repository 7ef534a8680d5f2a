import type pg from 'pg'
import type { GlobalPosition } from '../eventsourcing/eventStore.port.ts'
import { limitSize } from '../limitSize.ts'
import type { Change, Changes } from '../postgres/changes.ts'
import { notifySql, payloadsOf } from '../postgres/notify.ts'

/** Log positions of a write, by the read model that shows it; undefined for a command that changed nothing. */
export type Written = Readonly<Record<string, GlobalPosition | undefined>>

/** Name of the change that tells all API processes about a write. */
const OWN_WRITE = 'ownWrite'
const MAX_WAIT_MS = 2_000
/** Age from which a write is no longer waited for. */
const MAX_AGE_MS = 10_000
const MAX_USERS = 10_000

const NOTIFY = {
  name: 'notify',
  text: notifySql('$1'),
  query_timeout: MAX_WAIT_MS,
}

interface LastWrite {
  readonly written: Written
  readonly at: number
  /** The wait that all reads since the write share. */
  wait?: Promise<void>
}

export type OwnWrites = ReturnType<typeof createOwnWrites>

/**
 * Provides read-your-writes across API processes. A command answers before the read models include it; the user's next
 * reads wait for them, together at most two seconds per write.
 * @example
 * await ownWrites.note(userId, { videoTasks: position })
 * await ownWrites.shown(userId)
 */
export function createOwnWrites(changes: Changes, pool: Pick<pg.Pool, 'query'>) {
  const writes = new Map<string, LastWrite>()

  const remember = (userId: string, written: Written) => {
    const known = writes.get(userId)?.written ?? {}
    const newer = Object.entries(written).filter(([name, position]) => (position ?? '') > (known[name] ?? ''))
    // A process also receives its own notifications.
    if (newer.length === 0) return
    writes.delete(userId)
    writes.set(userId, { written: { ...known, ...Object.fromEntries(newer) }, at: performance.now() })
    limitSize(writes, MAX_USERS)
  }
  changes.subscribe(({ name, ids, written }) => {
    if (name === OWN_WRITE && written) for (const userId of ids) remember(userId, written)
  })

  const waitFor = async ({ written, at }: LastWrite) => {
    if (performance.now() - at > MAX_AGE_MS) return
    const models = Object.entries(written)
    await Promise.all(models.map(([name, position]) => changes.waitFor([name], position, MAX_WAIT_MS)))
  }

  // Writes that arrive while a notification is sent share the next one.
  let unsent: Change[] = []
  let sending = Promise.resolve()
  let following: Promise<void> | undefined
  const send = async () => {
    const changes = unsent
    unsent = []
    sending = following!
    following = undefined
    await pool.query({ ...NOTIFY, values: [payloadsOf(changes)] }).catch(() => {})
  }

  return {
    /** Records a write. Resolves once the other processes have been notified, or cannot be. */
    async note(userId: string, written: Written): Promise<void> {
      remember(userId, written)
      unsent.push({ name: OWN_WRITE, ids: [userId], written })
      following ??= sending.then(send)
      await following
    },

    /** Waits until the read models include the user's last write, or until the time for it is up. */
    async shown(userId: string): Promise<void> {
      const last = writes.get(userId)
      if (!last) return
      last.wait ??= waitFor(last)
      await last.wait
      if (writes.get(userId) === last) writes.delete(userId)
    },
  }
}
