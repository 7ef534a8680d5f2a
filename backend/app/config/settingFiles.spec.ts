import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { readConfig } from './readConfig.ts'
import { withFiles } from './settingFiles.ts'

const folder = mkdtempSync(path.join(os.tmpdir(), 'kinora-settings-'))
afterAll(() => rmSync(folder, { recursive: true }))

function written(content: string): string {
  const file = path.join(folder, String(content.length))
  writeFileSync(file, content)
  return file
}

describe('a setting as a file', () => {
  it('has the content of the file, without its final line break', () => {
    const files = { SESSION_SECRET_FILE: written(`${'s3cret'.repeat(8)}\n`), FAL_KEY_FILE: written('key with space ') }
    const config = readConfig({ ...files, DATA_DIR: folder })
    expect(config.secrets.session).toBe('s3cret'.repeat(8))
    expect(config.video.keyOf('FAL_KEY')).toBe('key with space ')
  })

  it('is refused if the file cannot be read or the setting is given twice, naming both', () => {
    const env = { SMTP_URL_FILE: '/none/there', FAL_KEY: 'a', FAL_KEY_FILE: written('b') }
    expect(() => withFiles(env)).toThrow(
      'SMTP_URL_FILE: /none/there cannot be read (ENOENT)\nFAL_KEY: set as FAL_KEY_FILE too; use one of them',
    )
  })

  it('leaves settings alone whose name ends like that', () => {
    const env = { AUDIT_KEY_FILE: '/etc/kinora/audit.pem' }
    expect(withFiles(env)).toEqual(env)
  })
})

it('CA_FILE is refused if it has no certificate', () => {
  expect(() => withFiles({ CA_FILE: '/none/there' })).toThrow('CA_FILE: /none/there does not exist')
  expect(() => withFiles({ CA_FILE: written('no certificate here') })).toThrow('contains no certificate')
})
