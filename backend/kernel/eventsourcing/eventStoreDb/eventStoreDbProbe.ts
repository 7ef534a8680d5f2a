import { readFileSync } from 'node:fs'
import net from 'node:net'
import tls from 'node:tls'
import type { EndPoint } from '@eventstore/db-client'
import { type NewEvent, StoreRejected } from '../eventStore.port.ts'
import type { EventStoreDbSettings } from './eventStoreDbSettings.ts'

/**
 * Stream of the probe, which no subscription delivers. The probe adds one event, because the server recognises each further
 * append as a repetition. The doctor adds one each time.
 */
export const PROBE_STREAM = 'probe'
export const PROBE: NewEvent = { id: 'b1f1b9f0-3f5e-4c8b-9d0a-5a7d3c1e6f20', type: 'StoreProbed', data: {} }

const GUIDE = 'docs/eventstoredb.md'
const PERMISSION_DENIED = 7
const UNAUTHENTICATED = 16
/** Time in which a server must answer a handshake, in milliseconds. */
const HANDSHAKE_MS = 600

/** Returns the error for a call that the server rejected for good, or undefined. `right` completes "the right to …". */
export function rejectionOf(
  error: unknown,
  right: string,
  { credentials }: EventStoreDbSettings,
): StoreRejected | undefined {
  const { code } = (error ?? {}) as { code?: unknown }
  if (code !== PERMISSION_DENIED && code !== UNAUTHENTICATED) return undefined
  const remedy = credentials
    ? code === UNAUTHENTICATED
      ? `EVENTSTORE_URL: the server rejects the user ${credentials.username} or the password. Correct them; special characters must be percent-encoded.`
      : `EVENTSTORE_URL: the user ${credentials.username} has no right to ${right}. Grant it as ${GUIDE} describes.`
    : `EVENTSTORE_URL: the server requires a user. Create one as ${GUIDE} describes, and add it: esdb://user:password@host:2113.`
  return new StoreRejected(remedy, { cause: error })
}

/** The outcome of a handshake with one host. `isFinal` faults remain until a setting or a certificate changes. */
type Handshake = { readonly ok: true } | { readonly ok: false; readonly isFinal: boolean; readonly reason: string }

/**
 * Explains why calls fail, by a handshake with each host.
 * @throws StoreRejected no host accepts the configured kind of connection, for example because of its certificate
 * @returns the reason why hosts cannot be reached
 */
export async function explainOutage(settings: EventStoreDbSettings): Promise<string> {
  const unreadable = ({ message }: Error): Handshake => ({
    ok: false,
    isFinal: false,
    reason: `EVENTSTORE_CA: ${message}`,
  })
  const outcomes = await Promise.all(settings.hosts.map((host) => shakeHands(host, settings).catch(unreadable)))
  const faults = outcomes.filter((outcome) => !outcome.ok)
  const final = faults.find(({ isFinal }) => isFinal)
  if (final && faults.length === outcomes.length) throw new StoreRejected(final.reason)
  return faults.map(({ reason }) => reason).join('; ') || 'the server accepts connections, but does not answer calls'
}

function shakeHands(host: EndPoint, { tls: isSecure, ca }: EventStoreDbSettings): Promise<Handshake> {
  const name = `${host.address}:${host.port}`
  return new Promise((resolve) => {
    const socket = tls.connect({
      host: host.address,
      port: host.port,
      ALPNProtocols: ['h2'],
      ...(net.isIP(host.address) ? {} : { servername: host.address }),
      ...(ca === undefined ? {} : { ca: readFileSync(ca) }),
      rejectUnauthorized: isSecure,
    })
    const end = (outcome: Handshake) => {
      resolve(outcome)
      socket.destroy()
    }
    const fail = (isFinal: boolean, reason: string) => end({ ok: false, isFinal, reason })
    socket.setTimeout(HANDSHAKE_MS, () => fail(false, `${name} does not answer`))
    socket.once('secureConnect', () =>
      isSecure ? end({ ok: true }) : fail(true, `EVENTSTORE_URL: ${name} requires TLS. Remove tls=false.`),
    )
    socket.once('error', (error: NodeJS.ErrnoException) => {
      const fault = isSecure ? certificateRejection(error, name, ca) : undefined
      if (fault) fail(true, fault)
      // Without TLS, a server that cannot be greeted in TLS is as expected.
      else if (!isSecure && !error.syscall) end({ ok: true })
      else fail(false, `${name}: ${error.code ?? error.message}`)
    })
  })
}

/** Returns the setting and the remedy for an error of a TLS handshake; undefined if the host could not be reached. */
function certificateRejection(error: NodeJS.ErrnoException, host: string, ca: string | undefined): string | undefined {
  const { code = '', message } = error
  if (code === 'CERT_HAS_EXPIRED' || code === 'CERT_NOT_YET_VALID')
    return `EVENTSTORE_URL: the certificate of ${host} is not valid now (${message}). Renew it, and check both clocks.`
  if (code === 'ERR_TLS_CERT_ALTNAME_INVALID')
    return `EVENTSTORE_URL: the certificate of ${host} is for another host. Use a name that is in the certificate.`
  if (code === 'ERR_SSL_WRONG_VERSION_NUMBER' || code === 'EPROTO')
    return `EVENTSTORE_URL: ${host} answers without TLS. Enable TLS there, or add ?tls=false in a closed network.`
  if (!/CERT|SIGNED|ISSUER|VERIFY|INVALID_CA/.test(code)) return undefined
  const remedy = ca
    ? 'The file that EVENTSTORE_CA names must contain the authority that signed it.'
    : 'Set EVENTSTORE_CA to the file of its certificate authority.'
  return `EVENTSTORE_CA: the certificate of ${host} is not trusted (${message}). ${remedy}`
}
