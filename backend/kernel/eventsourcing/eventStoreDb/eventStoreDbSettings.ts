import { X509Certificate } from 'node:crypto'
import { readFileSync } from 'node:fs'
import type { Credentials, EndPoint, NodePreference } from '@eventstore/db-client'
import { trimEnd } from '../../trimEnd.ts'

/** A parsed `EVENTSTORE_URL`. */
export interface EventStoreDbSettings {
  readonly hosts: readonly EndPoint[]
  /** Whether the only host is a DNS name of the whole cluster. */
  readonly isDnsName: boolean
  readonly credentials: Credentials | undefined
  readonly tls: boolean
  /** Path of the CA certificate file. */
  readonly ca: string | undefined
  readonly options: ClientOptions
}

/** Options of the URL that the client takes as they are. */
interface ClientOptions {
  readonly nodePreference?: NodePreference
  readonly maxDiscoverAttempts?: number
  /** In milliseconds. */
  readonly discoveryInterval?: number
  /** In seconds. */
  readonly gossipTimeout?: number
  /** In milliseconds. */
  readonly keepAliveInterval?: number
  /** In milliseconds. */
  readonly keepAliveTimeout?: number
  readonly connectionName?: string
}

/** Thrown for a URL that cannot be used. The message never quotes the URL, which may contain a password. */
export class InvalidEventStoreUrl extends Error {
  override name = 'InvalidEventStoreUrl'
}

const EXAMPLE = 'an address such as esdb://user:password@host:2113'
const DEFAULT_PORT = 2113
/** Characters that RFC 3986 allows in a user name or password without percent-encoding. */
const UNRESERVED = /^[\w.~!$&'()*+,;=%-]*$/
const HOST = /^([\w.-]+)(?::(\d{1,5}))?$/

/**
 * Parses an address. EventStoreDB is called KurrentDB since version 25.0, whose documentation gives its own schemes.
 * @throws InvalidEventStoreUrl @example parseEventStoreUrl('esdb://kinora:secret@e1:2113,e2:2113')
 */
export function parseEventStoreUrl(url: string): EventStoreDbSettings {
  const [, discover, rest = ''] = /^(?:esdb|kurrentdb|kurrent|kdb)(\+discover)?:\/\/(.*)$/s.exec(url.trim()) ?? []
  if (rest === '') throw new InvalidEventStoreUrl(`is not ${EXAMPLE}`)
  const at = rest.lastIndexOf('@')
  const [hosts, query = ''] = splitOnce(rest.slice(at + 1), '?')
  const options = parseOptions(query)
  const { tls = 'true', tlscafile } = options
  return {
    hosts: trimEnd(hosts, '/').split(',').map(parseHost),
    isDnsName: discover !== undefined,
    credentials: at < 0 ? undefined : parseCredentials(rest.slice(0, at)),
    tls: oneOf('tls', tls, ['true', 'false']) === 'true',
    ca: tlscafile,
    options: clientOptions(options),
  }
}

function splitOnce(text: string, separator: string): [string, string?] {
  const at = text.indexOf(separator)
  return at < 0 ? [text] : [text.slice(0, at), text.slice(at + separator.length)]
}

function parseCredentials(text: string): Credentials {
  const [username, password] = splitOnce(text, ':')
  if (!username || password === undefined)
    throw new InvalidEventStoreUrl(`names no user and password: it is not ${EXAMPLE}`)
  if (!UNRESERVED.test(username) || !UNRESERVED.test(password)) throw new InvalidEventStoreUrl(NOT_ENCODED)
  return { username: decode(username), password: decode(password) }
}

const NOT_ENCODED =
  'contains a special character that is not percent-encoded: in a password, write @ as %40, : as %3A, / as %2F, % as %25'

function decode(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    throw new InvalidEventStoreUrl(NOT_ENCODED)
  }
}

function parseHost(text: string): EndPoint {
  const [, address, port = String(DEFAULT_PORT)] = HOST.exec(text) ?? []
  if (!address || Number(port) > 65_535)
    throw new InvalidEventStoreUrl('contains an invalid host: hosts are names or IPv4 addresses, each with a port')
  return { address, port: Number(port) }
}

const NAMES = [
  'tls',
  'tlsCAFile',
  'nodePreference',
  'maxDiscoverAttempts',
  'discoveryInterval',
  'gossipTimeout',
  'keepAliveInterval',
  'keepAliveTimeout',
  'connectionName',
] as const
const NAME_OF = new Map(NAMES.map((name) => [name.toLowerCase(), name]))
type Options = Partial<Record<Lowercase<(typeof NAMES)[number]>, string>>

/** Parses the query. Option names are case-insensitive. */
function parseOptions(query: string): Options {
  const pairs = query
    .split('&')
    .filter(Boolean)
    .map((pair) => splitOnce(pair, '='))
  return Object.fromEntries(
    pairs.map(([name, value = '']) => {
      const key = name.trim().toLowerCase()
      // The name may be part of a password that is not percent-encoded, so only known names are quoted.
      if (!NAME_OF.has(key)) throw new InvalidEventStoreUrl(`has an unknown option: known are ${NAMES.join(', ')}`)
      return [key, decode(value.trim())]
    }),
  )
}

function clientOptions(options: Options): ClientOptions {
  const { nodepreference, connectionname } = options
  const preferences = ['leader', 'follower', 'read_only_replica', 'random'] as const
  const number = (name: Exclude<keyof Options, 'tls'>) => {
    const value = options[name]
    if (value !== undefined && !/^-?\d{1,9}$/.test(value))
      throw new InvalidEventStoreUrl(`has an invalid option: ${NAME_OF.get(name)} must be a number`)
    return value === undefined ? {} : { [NAME_OF.get(name)!]: Number(value) }
  }
  return {
    ...(nodepreference && { nodePreference: oneOf('nodePreference', nodepreference, preferences) }),
    ...(connectionname && { connectionName: connectionname }),
    ...number('maxdiscoverattempts'),
    ...number('discoveryinterval'),
    ...number('gossiptimeout'),
    ...number('keepaliveinterval'),
    ...number('keepalivetimeout'),
  }
}

function oneOf<T extends string>(name: string, value: string, allowed: readonly T[]): T {
  const found = allowed.find((each) => each === value)
  if (found === undefined)
    throw new InvalidEventStoreUrl(`has an invalid option: ${name} must be ${allowed.join(' or ')}`)
  return found
}

/** Returns the problem of a CA certificate file; undefined if it contains a certificate. */
export function certificateFault(file: string): string | undefined {
  try {
    const text = readFileSync(file, 'utf8')
    return /-----BEGIN CERTIFICATE-----/.test(text) && new X509Certificate(text) ? undefined : 'contains no certificate'
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    return code === 'ENOENT'
      ? 'does not exist'
      : code?.startsWith('E') && !code.startsWith('ERR_')
        ? `cannot be read (${code})`
        : 'contains no certificate'
  }
}
