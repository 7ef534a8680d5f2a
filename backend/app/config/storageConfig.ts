import type { S3Access } from '../../providers/storage/s3MediaStore.ts'
import { type Environment, isComplete, parseEnvironment } from './environment.ts'
import { withFiles } from './settingFiles.ts'

/** Returns the bucket for media, or undefined if they are stored in a folder. @throws ConfigError */
export function bucketOf(env: Environment): S3Access | undefined {
  if (!isComplete(env, ['S3_ENDPOINT', 'S3_BUCKET', 'S3_ACCESS_KEY_ID', 'S3_SECRET_ACCESS_KEY'], 'S3_'))
    return undefined
  return {
    endpoint: env.S3_ENDPOINT!,
    bucket: env.S3_BUCKET!,
    accessKeyId: env.S3_ACCESS_KEY_ID!,
    secretAccessKey: env.S3_SECRET_ACCESS_KEY!,
    region: env.S3_REGION,
  }
}

/** Reads the bucket for programs that need no other settings. @throws ConfigError */
export const readStorage = (env: NodeJS.ProcessEnv): S3Access | undefined => bucketOf(parseEnvironment(withFiles(env)))
