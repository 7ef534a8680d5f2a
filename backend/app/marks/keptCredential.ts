import { X509Certificate } from 'node:crypto'
import type pg from 'pg'
import { type About, opens, seal, unseal, wrappingKey } from '../../accounts/keys/seal.ts'
import { type Credential, certificateChain, parseCredential } from '../../kernel/media/marks/credential.ts'
import type { IssuingFunctions } from '../../kernel/media/marks/issuingThread.ts'
import { must } from '../../kernel/must.ts'
import { createThread } from '../../kernel/threads/callThread.ts'

type Queries = Pick<pg.ClientBase, 'query'>
type Row = Readonly<{ certificates: string; sealed_key: string }>

/** An installation needs the certificate library once. Loading it takes a tenth of a second. */
const ISSUING = new URL('../../kernel/media/marks/issuingThread.ts', import.meta.url)
const inThread = createThread<IssuingFunctions>(ISSUING, { idleMs: 0 })

const ABOUT: About = { purpose: 'content credential', row: 'content_credential' }

/**
 * Returns the certificate and the key that sign this installation's files; issues them on first use. They are kept in
 * the database, sealed with the master key, so that all processes sign with the same ones and backups contain them. See
 * docs/decisions/0025-marked-files.md.
 */
export async function keptCredential(database: Queries, masterKey: string, now: number): Promise<Credential> {
  if (!(await readRow(database))) {
    const { certificates, key } = await inThread('issueCredential', [now])
    const sealed = seal(wrappingKey(masterKey), Buffer.from(key), ABOUT)
    // Processes that start together agree on the first one.
    const sql = 'insert into content_credential (certificates, sealed_key) values ($1, $2) on conflict do nothing'
    await database.query(sql, [certificates, sealed])
  }
  const { certificates, sealed_key } = must(await readRow(database), 'credential')
  return parseCredential(certificates, unseal(wrappingKey(masterKey), sealed_key, ABOUT).toString())
}

/** Seals the key with another master key, within the caller's transaction. */
export async function resealCredential(database: Queries, from: string, to: string): Promise<void> {
  const row = await readRow(database)
  if (!row) return
  const sealed = seal(wrappingKey(to), unseal(wrappingKey(from), row.sealed_key, ABOUT), ABOUT)
  await database.query('update content_credential set sealed_key = $1', [sealed])
}

/** Deletes a credential that the master key does not open. The next file is signed with a new one. */
export async function dropLostCredential(database: Queries, masterKey: string): Promise<void> {
  const row = await readRow(database)
  if (row && !opens(wrappingKey(masterKey), row.sealed_key, ABOUT))
    await database.query('delete from content_credential')
}

const readRow = async (database: Queries) =>
  (await database.query<Row>('select certificates, sealed_key from content_credential')).rows[0]

/**
 * Adds the root of a credential to those that this installation publishes, so that files stay known after another one has
 * taken its place. A certificate alone is its own root.
 */
export async function publishCertificate(database: Queries, { chain }: Pick<Credential, 'chain'>): Promise<void> {
  const root = new X509Certificate(must(chain.at(-1), 'certificate'))
  const sql = 'insert into published_certificate (fingerprint, certificate) values ($1, $2) on conflict do nothing'
  await database.query(sql, [root.fingerprint256, root.toString()])
}

/** Returns the roots of the credentials that have signed files here, as PEM, the newest first. */
export async function publishedCertificates(database: Queries, configured: Credential | undefined): Promise<string[]> {
  const row = configured ? undefined : await readRow(database)
  const chain = row && certificateChain(row.certificates)
  const current = configured ?? (chain && { chain })
  if (current) await publishCertificate(database, current)
  const sql = 'select certificate from published_certificate order by published_at desc, fingerprint'
  return (await database.query<{ certificate: string }>(sql)).rows.map(({ certificate }) => certificate)
}
