import os from 'node:os'
import path from 'node:path'
import { describe, expect, it } from 'vitest'
import { readConfig } from './readConfig.ts'

const ACCESS = { S3_ENDPOINT: 'https://s3.kinora.test', S3_ACCESS_KEY_ID: 'key', S3_SECRET_ACCESS_KEY: 'secret' }
const read = (env: Record<string, string>) =>
  readConfig({ NODE_ENV: 'test', DATA_DIR: path.join(os.tmpdir(), 'kinora-config'), ...env })

describe('the place of backups', () => {
  it('is a folder, or a part of a bucket', () => {
    expect(read({}).backup).toBeUndefined()
    expect(read({ BACKUP_TO: '/mnt/copies' }).backup).toEqual({ to: { folder: '/mnt/copies' }, keepDays: 35 })
    const to = read({ ...ACCESS, BACKUP_TO: 's3://copies/a/b', BACKUP_KEEP_DAYS: '90' }).backup
    expect(to).toMatchObject({ to: { bucket: { bucket: 'copies', accessKeyId: 'key' }, prefix: 'a/b/' }, keepDays: 90 })
  })

  it('can be a bucket while media stay in the data folder', () => {
    expect(read({ ...ACCESS, BACKUP_TO: 's3://copies' }).storage).toBeUndefined()
    expect(read({ ...ACCESS, BACKUP_TO: 's3://copies', S3_BUCKET: 'media' }).storage).toMatchObject({ bucket: 'media' })
  })

  it('needs a name and an account if it is a bucket, and media need a bucket otherwise', () => {
    expect(() => read({ BACKUP_TO: 's3://copies' })).toThrow('BACKUP_TO: a bucket needs a name')
    expect(() => read({ ...ACCESS, BACKUP_TO: 's3://' })).toThrow('BACKUP_TO: a bucket needs a name')
    expect(() => read(ACCESS)).toThrow('S3_BUCKET: not set')
  })

  it.each(['https://s3.test/copies', 'S3://copies', 'file:///copies', 's3:/copies'])(
    'is no folder with the name %s',
    (to) => {
      expect(() => read({ BACKUP_TO: to })).toThrow(
        'BACKUP_TO: must be a folder, or a bucket such as s3://kinora-copies/production',
      )
    },
  )

  it.each(['s3://copies/my files', 's3://copies/../other', 's3://copies/a?b'])(
    'is refused as %s, which no copy could be stored at',
    (to) => {
      expect(() => read({ ...ACCESS, BACKUP_TO: to })).toThrow('BACKUP_TO: ')
      expect(() => read({ ...ACCESS, HEADS_TO: to })).toThrow('HEADS_TO: ')
    },
  )
})
