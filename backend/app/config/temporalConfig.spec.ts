import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { testCertificate } from '../../providers/payments/paypal/testing/testCertificate.ts'
import { readConfig } from './readConfig.ts'

const DATA_DIR = mkdtempSync(path.join(os.tmpdir(), 'kinora-temporal-config-'))
afterAll(() => rmSync(DATA_DIR, { recursive: true }))
const authority = path.join(DATA_DIR, 'authority.pem')
writeFileSync(authority, testCertificate('authority', { from: 0, to: Date.now() }).pem)

const read = (env: Record<string, string>) =>
  readConfig({ DATA_DIR, TEMPORAL_ADDRESS: 'temporal.test:7233', ...env }).temporal

describe('the settings of Temporal', () => {
  it('use TLS where it is asked for, and with every API key', () => {
    expect(read({})).toEqual({ address: 'temporal.test:7233', namespace: 'default', tls: false })
    expect(read({ TEMPORAL_TLS: 'true' })).toMatchObject({ tls: true })
    expect(read({ TEMPORAL_API_KEY: 'key' })).toMatchObject({ tls: true, apiKey: 'key' })
    const file = readFileSync(authority)
    expect(read({ TEMPORAL_TLS: authority })).toMatchObject({ tls: { serverRootCACertificate: file } })
  })

  it.each([
    [
      { TEMPORAL_TLS: 'false', TEMPORAL_API_KEY: 'secret' },
      'TEMPORAL_TLS is false: TEMPORAL_API_KEY would be readable',
    ],
    [{ TEMPORAL_TLS: 'yes' }, 'TEMPORAL_TLS: yes does not exist; it must be true, false or a file'],
    [{ TEMPORAL_TLS: import.meta.filename }, 'contains no certificate'],
    [{ TEMPORAL_ADDRESS: '', TEMPORAL_API_KEY: 'secret' }, 'TEMPORAL_API_KEY is set, but TEMPORAL_ADDRESS is not'],
  ])('refuse %j', (env, fault) => {
    expect(() => read(env as Record<string, string>)).toThrow(fault)
    expect(() => read(env as Record<string, string>)).not.toThrow('secret')
  })
})
