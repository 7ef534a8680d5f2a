import { mkdtempSync, rmSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { getCACertificates, setDefaultCACertificates } from 'node:tls'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startTlsOnlyPostgres } from '../kernel/postgres/testing/tlsOnlyPostgres.ts'
import { startTestKinora } from '../testing/testKinora.ts'
import { runDoctor } from './doctor.ts'

const dataDir = mkdtempSync(path.join(os.tmpdir(), 'kinora-tls-spec-'))
let postgres: Awaited<ReturnType<typeof startTlsOnlyPostgres>>
beforeAll(async () => {
  postgres = await startTlsOnlyPostgres()
})
afterAll(async () => {
  await postgres.close()
  rmSync(dataDir, { recursive: true })
})

/** Returns what doctor says of the database. */
async function examine(query: string, env: NodeJS.ProcessEnv = {}): Promise<string | undefined> {
  const lines: string[] = []
  await runDoctor([], { DATA_DIR: dataDir, DATABASE_URL: postgres.url + query, ...env }, (text) => lines.push(text))
  return lines.find((line) => / database: /.test(line))
}

const TLS_ONLY = /no encryption\)\. The server accepts TLS only: add \?sslmode=verify-full to DATABASE_URL\.$/
const UNTRUSTED =
  /self-signed certificate.*\)\. This machine does not trust the certificate of the server: set CA_FILE to the file of its authority\.$/

describe('a database that accepts TLS only', () => {
  it.for([
    ['', TLS_ONLY],
    ['?sslmode=verify-full', UNTRUSTED],
  ] as const)(
    'is refused by doctor and at the start with "%s", and both say what to add',
    async ([query, sentence]) => {
      expect(await examine(query)).toMatch(sentence)
      const starting = startTestKinora({ env: { DATABASE_URL: postgres.url + query } })
      await expect(starting).rejects.toMatchObject({ name: 'CannotConnect', message: expect.stringMatching(sentence) })
    },
  )

  it('is accepted by doctor and at the start with what they said', async () => {
    const trusted = getCACertificates('default')
    const [query, CA_FILE] = ['?sslmode=verify-full', postgres.certificate]
    expect(await examine(query, { CA_FILE })).toMatch(/^ok database: PostgreSQL/)
    const kinora = await startTestKinora({ env: { DATABASE_URL: postgres.url + query, CA_FILE } })
    expect((await fetch(`${kinora.url}/readyz`)).status).toBe(200)
    await kinora.close()
    // The process trusts it until now.
    setDefaultCACertificates(trusted)
    const rooted = `${query}&sslrootcert=${encodeURIComponent(CA_FILE)}`
    expect(await examine(rooted)).toMatch(/^ok database: PostgreSQL/)
  })
})
