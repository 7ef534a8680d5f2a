import { randomBytes } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import path from 'node:path'
import type { Environment } from './environment.ts'
import { keepInDataDir } from './makeDataDir.ts'

/** Returns the configured secrets. Missing ones are generated at their first use and stored in the data folder with mode 0600. */
export function readSecrets(env: Environment, dataDir: string) {
  let stored: ReturnType<typeof storedSecrets> | undefined
  const read = () => {
    stored ??= storedSecrets(dataDir)
    return stored
  }
  return {
    /** Signs sessions and callback addresses. */
    get session() {
      return env.SESSION_SECRET ?? read().SESSION_SECRET
    },
    /** 64 hexadecimal digits; wraps the users' keys. */
    get encryption() {
      return env.ENCRYPTION_KEY ?? read().ENCRYPTION_KEY
    },
  }
}

function storedSecrets(dataDir: string): Readonly<Record<'SESSION_SECRET' | 'ENCRYPTION_KEY', string>> {
  const file = path.join(dataDir, 'secrets.json')
  if (!existsSync(file)) {
    const made = { SESSION_SECRET: randomBytes(32).toString('hex'), ENCRYPTION_KEY: randomBytes(32).toString('hex') }
    keepInDataDir(dataDir, 'secrets.json', `${JSON.stringify(made, null, 2)}\n`)
  }
  return JSON.parse(readFileSync(file, 'utf8'))
}

/**
 * Returns the operator's login and the IANA time zone of the dashboard. A missing password is generated at its first use
 * and stored in the data folder; `isNew` is true if this process generated it and must show it.
 */
export function readOperator(env: Environment, dataDir: string) {
  const { OPERATOR_USERNAME: username, OPERATOR_PASSWORD: given, OPERATOR_TIME_ZONE: timeZone } = env
  if (given) return { username, password: given, isNew: false, timeZone }
  let kept: ReturnType<typeof keptPassword> | undefined
  const read = () => {
    kept ??= keptPassword(dataDir)
    return kept
  }
  return {
    username,
    get password() {
      return read().password
    },
    get isNew() {
      return read().isNew
    },
    timeZone,
  }
}

function keptPassword(dataDir: string) {
  const name = 'operator-password'
  const isNew = keepInDataDir(dataDir, name, `${randomBytes(16).toString('base64url')}\n`)
  return { password: readFileSync(path.join(dataDir, name), 'utf8').trim(), isNew }
}
