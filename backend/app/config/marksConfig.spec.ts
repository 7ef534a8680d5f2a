import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { issueCredential } from '../../kernel/media/marks/issueCredential.ts'
import { readConfig } from './readConfig.ts'

const folder = mkdtempSync(path.join(os.tmpdir(), 'kinora-marks-config-'))
afterAll(() => rmSync(folder, { recursive: true }))

const write = (name: string, content: string) => {
  const file = path.join(folder, name)
  writeFileSync(file, content)
  return file
}
const read = (env: Record<string, string> = {}) => readConfig({ DATA_DIR: folder, ...env }).marks

describe('the certificate for content credentials', () => {
  it('is the operator’s own if a certificate and its key are configured', async () => {
    const { certificates, key } = await issueCredential(Date.now())
    const env = { C2PA_CERTIFICATE_FILE: write('own.pem', certificates), C2PA_KEY_FILE: write('own.key', key) }
    expect(read(env).credential?.chain).toHaveLength(2)
    expect(read()).toEqual({ credential: undefined, producer: 'Kinora', label: 'auto' })
  })

  it('is refused if it cannot sign, with the reason and without the key', async () => {
    const [one, other] = [await issueCredential(Date.now()), await issueCredential(Date.now())]
    const expired = await issueCredential(Date.UTC(1990, 0, 1))
    const faultOf = (certificates: string, key: string) => {
      const env = { C2PA_CERTIFICATE_FILE: write('a.pem', certificates), C2PA_KEY_FILE: write('a.key', key) }
      expect(() => read(env)).toThrow(/^C2PA_CERTIFICATE_FILE and C2PA_KEY_FILE: [^-]*$/)
      expect(() => read(env)).not.toThrow(key.split('\n')[1] || 'nothing')
      return expect(() => read(env))
    }
    faultOf(one.certificates, other.key).toThrow('does not fit')
    faultOf('', one.key).toThrow('no certificate')
    faultOf(one.certificates, 'text').toThrow('no private key')
    faultOf(expired.certificates, expired.key).toThrow('expired on')
    expect(() => read({ C2PA_KEY_FILE: 'key.pem' })).toThrow('C2PA_CERTIFICATE_FILE: not set')
    expect(() => read({ C2PA_CERTIFICATE_FILE: '/nowhere', C2PA_KEY_FILE: '/nowhere' })).toThrow(
      'C2PA_CERTIFICATE_FILE: /nowhere cannot be read (ENOENT)',
    )
    expect(() => read({ VIDEO_LABEL: 'sometimes' })).toThrow('VIDEO_LABEL')
  })
})
