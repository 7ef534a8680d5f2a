import { readFileSync } from 'node:fs'
import { certificateFault } from '../../kernel/eventsourcing/eventStoreDb/eventStoreDbSettings.ts'
import type { Environment } from './environment.ts'

/** A Temporal server, in the form of the connection options of its SDK. */
export interface TemporalConfig {
  /** `host:port` */
  readonly address: string
  readonly namespace: string
  /** Whether the connection uses TLS, or the authority (PEM) of the server's certificate. */
  readonly tls: boolean | { readonly serverRootCACertificate: Uint8Array }
  /** Sent as a bearer token. */
  readonly apiKey?: string
}

type Settings = Pick<Environment, `TEMPORAL_${'ADDRESS' | 'NAMESPACE' | 'TLS' | 'API_KEY'}`>

/** Returns a sentence per setting of Temporal that cannot work. None quotes the key. */
export function temporalFaults({ TEMPORAL_ADDRESS, TEMPORAL_TLS, TEMPORAL_API_KEY }: Settings): string[] {
  const alone = Object.entries({ TEMPORAL_TLS, TEMPORAL_API_KEY }).filter(([, value]) => value)
  if (!TEMPORAL_ADDRESS) return alone.map(([name]) => `${name} is set, but TEMPORAL_ADDRESS is not`)
  if (TEMPORAL_TLS === 'false')
    return TEMPORAL_API_KEY ? ['TEMPORAL_TLS is false: TEMPORAL_API_KEY would be readable on the way'] : []
  if (!TEMPORAL_TLS || TEMPORAL_TLS === 'true') return []
  const fault = certificateFault(TEMPORAL_TLS)
  return fault
    ? [`TEMPORAL_TLS: ${TEMPORAL_TLS} ${fault}; it must be true, false or a file of the authority (PEM)`]
    : []
}

/** Returns undefined if workflows run in this process. The settings must have no {@link temporalFaults}. */
export function readTemporal(env: Settings): TemporalConfig | undefined {
  const { TEMPORAL_ADDRESS: address, TEMPORAL_NAMESPACE: namespace, TEMPORAL_TLS: tls, TEMPORAL_API_KEY: apiKey } = env
  if (!address) return undefined
  return { address, namespace, tls: tlsOf(tls, Boolean(apiKey)), ...(apiKey && { apiKey }) }
}

/** A key is never sent without TLS. */
function tlsOf(setting: string | undefined, hasKey: boolean): TemporalConfig['tls'] {
  if (!setting || setting === 'true' || setting === 'false') return setting ? setting === 'true' : hasKey
  return { serverRootCACertificate: readFileSync(setting) }
}
