import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { testCertificate } from '#backend/providers/payments/paypal/testing/testCertificate.ts'

const DAY_MS = 86_400_000

/** A certificate authority whose certificate is in the file `ca`. */
export function createTestAuthority() {
  const valid = { from: Date.now() - DAY_MS, to: Date.now() + DAY_MS }
  const authority = testCertificate('Kinora test authority', { authority: true, ...valid })
  const folder = mkdtempSync(path.join(os.tmpdir(), 'kinora authority '))
  const ca = path.join(folder, 'ca & co.crt')
  writeFileSync(ca, authority.pem)
  return {
    ca,
    /** Issues a server certificate, in the form that the test server takes. */
    issue(name = 'localhost', period: { from: number; to: number } = valid) {
      const { pem: cert, privateKey } = testCertificate(name, { issuer: authority, ...period })
      return { cert, key: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString() }
    },
    remove: () => rmSync(folder, { recursive: true }),
  }
}
