import { createHash } from 'node:crypto'
import { createReadStream, createWriteStream } from 'node:fs'
import { Transform, Writable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { createGunzip, createGzip } from 'node:zlib'
import type { ClientBase } from 'pg'
import { from as copyFrom, to as copyTo } from 'pg-copy-streams'
import { RecoveryError, type SavedTable, tableFile } from './manifest.ts'

const quoted = (name: string) => `"${name.replaceAll('"', '""')}"`
const listed = ({ name, columns }: Pick<SavedTable, 'name' | 'columns'>) =>
  `${quoted(name)} (${columns.map(quoted).join()})`

/** Creates a pass-through stream, `tap`, that computes the SHA-256 of its bytes. */
function hashing() {
  const hash = createHash('sha256')
  const tap = new Transform({
    transform(chunk, _, done) {
      hash.update(chunk)
      done(null, chunk)
    },
  })
  return { tap, digest: () => hash.digest('hex') }
}

/** Copies a table's rows into a compressed file. */
export async function saveTable(
  client: ClientBase,
  folder: string,
  table: Omit<SavedTable, 'rows' | 'sha256'>,
): Promise<SavedTable> {
  const rows = client.query(copyTo(`copy ${listed(table)} to stdout`))
  const { tap, digest } = hashing()
  await pipeline(rows, tap, createGzip({ level: 6 }), createWriteStream(tableFile(folder, table.name)))
  return { ...table, rows: rows.rowCount, sha256: digest() }
}

/** Loads a table's rows from its file. @throws RecoveryError the file differs from what was saved */
export async function loadTable(client: ClientBase, folder: string, saved: SavedTable): Promise<void> {
  const rows = client.query(copyFrom(`copy ${listed(saved)} from stdin`))
  const { tap, digest } = hashing()
  const file = tableFile(folder, saved.name)
  await pipeline(createReadStream(file), createGunzip(), tap, rows).catch((error: Error) => {
    throw new RecoveryError(`${saved.name}: ${error.message}`, { cause: error })
  })
  if (digest() !== saved.sha256 || rows.rowCount !== saved.rows)
    throw new RecoveryError(`${file} is damaged: its hash differs`)
}

/** Hashes a table's current rows in the same way as {@link saveTable}. */
export async function hashTable(client: ClientBase, table: Pick<SavedTable, 'name' | 'columns'>): Promise<string> {
  const { tap, digest } = hashing()
  const nowhere = new Writable({ write: (_, __, done) => done() })
  await pipeline(client.query(copyTo(`copy ${listed(table)} to stdout`)), tap, nowhere)
  return digest()
}
