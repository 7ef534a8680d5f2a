import { readFileSync } from 'node:fs'
import { getCACertificates, setDefaultCACertificates } from 'node:tls'
import { certificateFault } from '../../kernel/eventsourcing/eventStoreDb/eventStoreDbSettings.ts'
import { ConfigError } from './environment.ts'

/**
 * Lets this process trust the certificate authorities in a file besides the usual ones, for the database, mail, buckets and engines.
 * EventStoreDB and Temporal, whose clients do not use Node's TLS, have settings of their own.
 * @throws ConfigError the file has no certificate
 */
export function trustAuthorities(file: string): void {
  const fault = certificateFault(file)
  if (fault) throw new ConfigError(`CA_FILE: ${file} ${fault}`)
  const known = getCACertificates('default')
  const added = readFileSync(file, 'utf8').match(/-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g) ?? []
  setDefaultCACertificates([...new Set([...known, ...added])])
}
