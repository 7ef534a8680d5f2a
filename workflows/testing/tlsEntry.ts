import { webcrypto } from 'node:crypto'
import { once } from 'node:events'
import { type ClientHttp2Session, connect, constants, createSecureServer, type IncomingHttpHeaders } from 'node:http2'
import type { AddressInfo } from 'node:net'
import 'reflect-metadata'
import {
  BasicConstraintsExtension,
  PemConverter,
  SubjectAlternativeNameExtension,
  X509CertificateGenerator,
} from '@peculiar/x509'

const ALGORITHM = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' }
const UNAUTHENTICATED = 16

/** Creates an authority and a certificate for this machine that it signed. */
async function certify() {
  const newKeys = () => webcrypto.subtle.generateKey(ALGORITHM, true, ['sign', 'verify']) as Promise<CryptoKeyPair>
  const [authorityKeys, keys] = await Promise.all([newKeys(), newKeys()])
  const valid = { notBefore: new Date(Date.now() - 60_000), notAfter: new Date(Date.now() + 3_600_000) }
  const authority = await X509CertificateGenerator.createSelfSigned({
    ...valid,
    serialNumber: '01',
    name: 'CN=Authority of a test',
    keys: authorityKeys,
    signingAlgorithm: ALGORITHM,
    extensions: [new BasicConstraintsExtension(true, 0, true)],
  })
  const certificate = await X509CertificateGenerator.create({
    ...valid,
    serialNumber: '02',
    subject: 'CN=localhost',
    issuer: authority.subject,
    publicKey: keys.publicKey,
    signingKey: authorityKeys.privateKey,
    signingAlgorithm: ALGORITHM,
    extensions: [new SubjectAlternativeNameExtension([{ type: 'dns', value: 'localhost' }])],
  })
  const key = PemConverter.encode(await webcrypto.subtle.exportKey('pkcs8', keys.privateKey), 'PRIVATE KEY')
  return { authority: authority.toString('pem'), certificate: certificate.toString('pem'), key }
}

/** Leaves out what belongs to one connection. */
const withoutConnection = (headers: IncomingHttpHeaders) =>
  Object.fromEntries(Object.entries(headers).filter(([name]) => ![':scheme', ':authority', 'host'].includes(name)))

/**
 * Serves a gRPC server at `localhost` over TLS, to callers with an API key. It is an entry of the kind that hosted Temporal
 * servers have.
 */
export async function startTlsEntry(address: string, apiKey: string) {
  const { authority, certificate, key } = await certify()
  const behind: ClientHttp2Session = connect(`http://${address}`).on('error', () => {})
  const sessions = new Set<{ destroy(): void }>()
  let refused = 0
  const server = createSecureServer({ cert: certificate, key })
  server.on('session', (session) => sessions.add(session.on('error', () => {})))
  server.on('stream', (stream, headers) => {
    stream.on('error', () => {})
    if (headers.authorization !== `Bearer ${apiKey}`) {
      refused++
      const status = { 'grpc-status': UNAUTHENTICATED, 'grpc-message': 'wrong key' }
      stream.respond({ ':status': 200, 'content-type': 'application/grpc', ...status }, { endStream: true })
      return
    }
    const call = behind.request(withoutConnection(headers))
    call.on('error', () => stream.destroy())
    stream.on('close', () => call.close(constants.NGHTTP2_CANCEL))
    let trailers: IncomingHttpHeaders = {}
    call.on('trailers', (received) => (trailers = received))
    call.on('response', (response, flags) => {
      const endStream = (flags & constants.NGHTTP2_FLAG_END_STREAM) > 0
      stream.respond(withoutConnection(response), { endStream, waitForTrailers: !endStream })
      if (!endStream) call.pipe(stream)
    })
    stream.on('wantTrailers', () => stream.sendTrailers(withoutConnection(trailers)))
    stream.pipe(call)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    address: `localhost:${(server.address() as AddressInfo).port}`,
    authority,
    /** Number of calls without the key. */
    refused: () => refused,
    close() {
      for (const session of sessions) session.destroy()
      behind.destroy()
      server.close()
    },
  }
}
