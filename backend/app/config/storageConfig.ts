import path from 'node:path'
import type { S3Access } from '../../providers/storage/s3MediaStore.ts'
import { ConfigError, type Environment, isComplete, parseEnvironment } from './environment.ts'
import { withFiles } from './settingFiles.ts'

/** A folder, or a part of a bucket. */
export type FilePlace = { readonly folder: string } | { readonly bucket: S3Access; readonly prefix: string }

/** Returns the bucket for media, or undefined if they are stored in a folder. @throws ConfigError */
export function bucketOf(env: Environment): S3Access | undefined {
  // Without a bucket for media, the account serves the buckets that other settings name.
  const isForOthers = env.S3_BUCKET === undefined && [env.BACKUP_TO, env.HEADS_TO].some(isBucket)
  return isForOthers ? undefined : accessTo(env, env.S3_BUCKET)
}

const isBucket = (place: string | undefined) => place?.startsWith('s3://') === true

function accessTo(env: Environment, bucket: string | undefined): S3Access | undefined {
  const given = { ...env, S3_BUCKET: bucket }
  if (!isComplete(given, ['S3_ENDPOINT', 'S3_BUCKET', 'S3_ACCESS_KEY_ID', 'S3_SECRET_ACCESS_KEY'], 'S3_'))
    return undefined
  return {
    endpoint: given.S3_ENDPOINT,
    bucket: given.S3_BUCKET,
    accessKeyId: given.S3_ACCESS_KEY_ID,
    secretAccessKey: given.S3_SECRET_ACCESS_KEY,
    region: given.S3_REGION,
  }
}

/** Reads a setting that names a folder, or a bucket such as `s3://heads/production`. @throws ConfigError */
export function readPlace(env: Environment, name: 'HEADS_TO' | 'BACKUP_TO', otherwise = ''): FilePlace {
  return placeAt(env[name] ?? otherwise, env, name)
}

function placeAt(to: string, env: Environment, name: string): FilePlace {
  if (/^[a-z][\w+.-]+:\//i.test(to) && !isBucket(to))
    throw new ConfigError(`${name}: must be a folder, or a bucket such as s3://kinora-copies/production`)
  if (!isBucket(to)) return { folder: path.resolve(to) }
  const [bucket, ...folders] = to.slice('s3://'.length).split('/').filter(Boolean)
  if (!bucket || !env.S3_ENDPOINT || !env.S3_ACCESS_KEY_ID || !env.S3_SECRET_ACCESS_KEY)
    throw new ConfigError(
      `${name}: a bucket needs a name, such as s3://heads, and S3_ENDPOINT, S3_ACCESS_KEY_ID, S3_SECRET_ACCESS_KEY`,
    )
  if ([bucket, ...folders].some((part) => !/^[\w.-]+$/.test(part) || /^\.+$/.test(part)))
    throw new ConfigError(`${name}: names of a bucket and its folders have letters, digits, and any of . - _`)
  return { bucket: accessTo(env, bucket)!, prefix: folders.map((folder) => `${folder}/`).join('') }
}

/** A file of lines, a web address that accepts JSON by POST, or a mail address. */
export type OutsidePlace = { readonly file: string } | { readonly url: string } | { readonly mail: string }

/** Reads `HEADS_OUTSIDE`, whose places have commas between them. @throws ConfigError */
export function readOutside(env: Environment): OutsidePlace[] {
  const places = (env.HEADS_OUTSIDE ?? '').split(',').map((place) => place.trim())
  return places.filter(Boolean).map((place) => {
    if (/^https?:\/\//i.test(place) && URL.canParse(place)) return { url: place }
    const [, mail] = /^mailto:([^@\s]+@[^@\s]+)$/i.exec(place) ?? []
    if (mail !== undefined && env.NODE_ENV === 'production' && env.SMTP_URL === undefined)
      throw new ConfigError('HEADS_OUTSIDE: a mail address needs a mail server: set SMTP_URL and MAIL_FROM')
    if (mail !== undefined) return { mail }
    if (/^[a-z][\w+.-]+:/i.test(place) || !/\.(jsonl|txt)$/.test(place))
      throw new ConfigError('HEADS_OUTSIDE: must list https:// addresses, mailto: addresses, and .jsonl or .txt files')
    return { file: path.resolve(place) }
  })
}

/** Reads the bucket for programs that need no other settings. @throws ConfigError */
export const readStorage = (env: NodeJS.ProcessEnv): S3Access | undefined => bucketOf(parseEnvironment(withFiles(env)))

/** Returns the place that a command line names, with the account of the S3_ settings. @throws ConfigError */
export const namedPlace = (to: string, env: NodeJS.ProcessEnv): FilePlace =>
  placeAt(to, parseEnvironment(withFiles(env)), '--from')
