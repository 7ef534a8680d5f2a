import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { createServer } from 'node:tls'
import { expect, it, onTestFinished } from 'vitest'
import { testCertificate } from '../providers/payments/paypal/testing/testCertificate.ts'
import { certificateExpiry } from './certificateExpiry.ts'

it('reads when a certificate expires, and refuses one that browsers refuse', async () => {
  const to = Math.floor(Date.now() / 1000) * 1000 + 86_400_000
  const { pem, privateKey } = testCertificate('localhost', { from: Date.now() - 60_000, to, authority: true })
  const server = createServer({ cert: pem, key: privateKey.export({ type: 'pkcs8', format: 'pem' }) })
  server.on('tlsClientError', () => {})
  onTestFinished(() => void server.close())
  server.listen(0, 'localhost')
  await once(server, 'listening')
  const url = new URL(`https://localhost:${(server.address() as AddressInfo).port}`)
  expect(await certificateExpiry(url, pem)).toBe(to)
  await expect(certificateExpiry(url)).rejects.toThrow('self-signed')
})
