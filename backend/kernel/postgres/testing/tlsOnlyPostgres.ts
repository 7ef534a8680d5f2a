import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { testCertificate } from '#backend/providers/payments/paypal/testing/testCertificate.ts'
import { freePort } from '#backend/testing/freePort.ts'
import { dropRoot } from '../dropRoot.ts'
import { ensureCluster, findPrograms, superuser } from '../postgresCluster.ts'
import { supervise } from '../supervise.ts'

const DAY_MS = 86_400_000
const START_TIMEOUT_MS = 60_000

/** Starts a PostgreSQL server on a local port that accepts TLS only, with a self-signed certificate. */
export async function startTlsOnlyPostgres() {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'kinora-tls-'))
  const dataDir = path.join(folder, 'data')
  const { postgres, initdb } = await findPrograms()
  const identity = dropRoot(postgres)
  // An account other than root must pass through it.
  fs.chmodSync(folder, 0o711)
  await ensureCluster(dataDir, initdb, identity, false)
  const { pem, privateKey } = testCertificate('localhost', { from: Date.now() - DAY_MS, to: Date.now() + DAY_MS })
  const files = {
    'server.crt': pem,
    'server.key': privateKey.export({ type: 'pkcs8', format: 'pem' }),
    'pg_hba.conf': 'hostssl all all all trust\n',
  }
  const { uid, gid } = identity.ids
  for (const [name, content] of Object.entries(files)) {
    const file = path.join(dataDir, name)
    fs.writeFileSync(file, content, { mode: 0o600 })
    if (uid !== undefined) fs.chownSync(file, uid, gid!)
  }
  const port = await freePort()
  const settings = ['listen_addresses=localhost', `port=${port}`, `unix_socket_directories=${dataDir}`, 'ssl=on']
  const command = [postgres, '-D', dataDir, ...[...settings, 'fsync=off'].flatMap((setting) => ['-c', setting])]
  const server = supervise([...identity.prefix, ...command], identity, () => {})
  if ((await server.untilReady(dataDir, dataDir, performance.now() + START_TIMEOUT_MS)) === undefined)
    throw new Error(`PostgreSQL did not start: ${server.output()}`)
  return {
    url: `postgres://${superuser}@localhost:${port}/postgres`,
    /** File with the certificate. */
    certificate: path.join(dataDir, 'server.crt'),
    async close() {
      await server.stop()
      fs.rmSync(folder, { recursive: true })
    },
  }
}
