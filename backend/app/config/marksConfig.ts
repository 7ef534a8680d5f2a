import { X509Certificate } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { algorithmOf } from '../../kernel/media/marks/coseSign1.ts'
import { type Credential, InvalidCredential, parseCredential } from '../../kernel/media/marks/credential.ts'
import { ConfigError, type Environment, isComplete } from './environment.ts'

const NAMES = ['C2PA_CERTIFICATE_FILE', 'C2PA_KEY_FILE'] as const

/**
 * Reads the operator's certificate for content credentials. Returns undefined if none is configured.
 * @throws ConfigError
 */
export function readCredential(env: Environment): Credential | undefined {
  if (!isComplete(env, NAMES, 'C2PA_')) return undefined
  const [certificates, key] = [readText(NAMES[0], env[NAMES[0]]), readText(NAMES[1], env[NAMES[1]])]
  try {
    const credential = parseCredential(certificates, key)
    algorithmOf(credential.key)
    const { validTo } = new X509Certificate(credential.chain[0]!)
    if (Date.parse(validTo) < Date.now()) throw new InvalidCredential(`the certificate expired on ${validTo}`)
    return credential
  } catch (error) {
    if (!(error instanceof InvalidCredential)) throw error
    throw new ConfigError(`${NAMES.join(' and ')}: ${error.message}`)
  }
}

function readText(name: string, file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch (error) {
    throw new ConfigError(`${name}: ${file} cannot be read (${(error as NodeJS.ErrnoException).code})`)
  }
}
