import type { ListedStore } from '../kernel/media/mediaStore.port.ts'
import { type CopyAt, catalogueKey, listCopies, objectKey, readCatalogue } from './catalogue.ts'
import type { BackupKeys } from './recoveryPhrase.ts'
import { DAY_MS, expiredCopies } from './retention.ts'

interface Removal {
  readonly place: ListedStore
  readonly keys: BackupKeys
  /** Folders of this installation's copies with earlier keys, which the server cannot read any more. */
  readonly former: readonly string[]
  readonly keepDays: number
  /** Time of the last copy that was proven restorable, which is kept. */
  readonly proven?: number | undefined
  readonly now: number
  readonly temporaryDir: string
  readonly signal: AbortSignal
}

/**
 * Removes expired copies, then the objects that no copy needs. Returns the number of files. Copies with earlier keys are
 * removed together, once the newest of them has expired. Folders that this installation has not written are left alone.
 * @throws RecoveryError a copy cannot be read: the objects that it needs are unknown, and none is removed
 */
export async function removeExpired(options: Removal): Promise<number> {
  const { place, keys, former, keepDays, proven, now, temporaryDir, signal } = options
  const copies = await listCopies(place)
  let removed = 0
  const remove = async (key: string) => {
    signal.throwIfAborted()
    await place.remove(key)
    removed++
  }
  for (const folder of former) {
    // Without a copy, what is left are objects of an interrupted copy or removal.
    const isKept = ({ takenAt }: CopyAt) => takenAt === proven || now - takenAt <= keepDays * DAY_MS
    if (copies.some((copy) => copy.folder === folder && isKept(copy))) continue
    for await (const { key } of place.list(`${folder}/`)) await remove(key)
  }
  const own = copies.filter(({ folder }) => folder === keys.folder)
  const times = own.map(({ takenAt }) => takenAt)
  const expired = new Set(expiredCopies(times, now, keepDays).filter((time) => time !== proven))
  const needed = new Set<string>()
  for (const copy of own) {
    if (expired.has(copy.takenAt)) continue
    const { files } = await readCatalogue(place, copy, keys.identity, temporaryDir)
    for (const { object } of Object.values(files)) needed.add(objectKey(copy.folder, object))
  }
  for (const copy of own) if (expired.has(copy.takenAt)) await remove(catalogueKey(copy))
  for await (const { key } of place.list(`${keys.folder}/objects/`)) if (!needed.has(key)) await remove(key)
  return removed
}
