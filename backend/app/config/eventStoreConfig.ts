import {
  certificateFault,
  InvalidEventStoreUrl,
  parseEventStoreUrl,
} from '../../kernel/eventsourcing/eventStoreDb/eventStoreDbSettings.ts'
import { ConfigError } from './environment.ts'

/** EventStoreDB and its CA certificate file. */
export interface EventStoreConfig {
  readonly url: string
  readonly ca: string | undefined
}

type Variables = Readonly<{ EVENTSTORE_URL?: string | undefined; EVENTSTORE_CA?: string | undefined }>

/**
 * Reads the address of EventStoreDB for programs that need no other settings. Returns undefined if events are stored in
 * PostgreSQL.
 * @throws ConfigError
 */
export function readEventStore(env: Variables): EventStoreConfig | undefined {
  const faults = eventStoreFaults(env)
  if (faults.length > 0) throw new ConfigError(faults.join('\n'))
  return env.EVENTSTORE_URL ? { url: env.EVENTSTORE_URL, ca: env.EVENTSTORE_CA || undefined } : undefined
}

/** Returns a sentence per invalid setting. None quotes the URL, which may contain a password. */
export function eventStoreFaults({ EVENTSTORE_URL: url, EVENTSTORE_CA: ca }: Variables): string[] {
  if (!url) return ca ? ['EVENTSTORE_CA is set, but EVENTSTORE_URL is not'] : []
  const faults = caFaults('EVENTSTORE_CA', ca)
  try {
    const settings = parseEventStoreUrl(url)
    if (ca && !settings.tls)
      faults.push('EVENTSTORE_CA is set, but EVENTSTORE_URL says tls=false: no certificate would be checked')
    faults.push(...caFaults('EVENTSTORE_URL: tlsCAFile', settings.ca))
  } catch (error) {
    if (!(error instanceof InvalidEventStoreUrl)) throw error
    faults.push(`EVENTSTORE_URL ${error.message}`)
  }
  return faults
}

function caFaults(name: string, file: string | undefined): string[] {
  const fault = file && certificateFault(file)
  return fault ? [`${name}: ${file} ${fault}`] : []
}
