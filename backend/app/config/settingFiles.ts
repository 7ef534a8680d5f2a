import { readFileSync } from 'node:fs'
import { getCACertificates, setDefaultCACertificates } from 'node:tls'
import { certificateFault } from '../../kernel/eventsourcing/eventStoreDb/eventStoreDbSettings.ts'
import { ConfigError, VARIABLES } from './environment.ts'

/**
 * Replaces each `<NAME>_FILE` by `<NAME>` with the content of that file, without its final line break, for secrets that
 * a container receives as files. Every program reads its settings here, so this is also where {@link trustAuthorities} applies.
 * @throws ConfigError naming each file that cannot be read, and each setting that is given twice
 */
export function withFiles(environment: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const { ...env } = environment
  const faults: string[] = []
  for (const name of VARIABLES) {
    const file = env[`${name}_FILE`]
    if (!file || VARIABLES.includes(`${name}_FILE`)) continue
    delete env[`${name}_FILE`]
    if (env[name]) faults.push(`${name}: set as ${name}_FILE too; use one of them`)
    else
      try {
        env[name] = readFileSync(file, 'utf8').replace(/\r?\n$/, '')
      } catch (error) {
        faults.push(`${name}_FILE: ${file} cannot be read (${(error as NodeJS.ErrnoException).code})`)
      }
  }
  if (faults.length > 0) throw new ConfigError(faults.join('\n'))
  if (env.CA_FILE?.trim()) trustAuthorities(env.CA_FILE)
  return env
}

/**
 * Lets this process trust the certificate authorities in a file besides the usual ones, for the database, mail, buckets and engines.
 * EventStoreDB and Temporal, whose clients do not use Node's TLS, have settings of their own.
 * @throws ConfigError the file has no certificate
 */
function trustAuthorities(file: string): void {
  const fault = certificateFault(file)
  if (fault) throw new ConfigError(`CA_FILE: ${file} ${fault}`)
  const known = getCACertificates('default')
  const added = readFileSync(file, 'utf8').match(/-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g) ?? []
  setDefaultCACertificates([...new Set([...known, ...added])])
}
