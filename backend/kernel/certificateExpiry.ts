import { connect } from 'node:tls'

const HANDSHAKE_MS = 5_000

/**
 * Connects to an https address and returns when its certificate expires, in epoch milliseconds. Rejects a certificate
 * that browsers would reject.
 * @throws Error
 * @example const expiresAt = await certificateExpiry(new URL('https://videos.example.org'))
 */
export function certificateExpiry({ hostname, port }: URL, ca?: string): Promise<number> {
  return new Promise((resolve, reject) => {
    const to = { host: hostname, port: Number(port || 443), servername: hostname, timeout: HANDSHAKE_MS }
    const socket = connect({ ...to, ...(ca && { ca }) })
    socket.once('secureConnect', () => {
      const expiresAt = Date.parse(socket.getPeerCertificate().valid_to)
      socket.end()
      resolve(expiresAt)
    })
    socket.once('timeout', () => socket.destroy(new Error('no answer')))
    socket.once('error', reject)
  })
}
