import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, statSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { readSecrets } from './secrets.ts'

it('makes the secrets in the start after one that the system killed while it wrote them', () => {
  const dataDir = mkdtempSync(path.join(os.tmpdir(), 'kinora-secrets-'))
  onTestFinished(() => rmSync(dataDir, { recursive: true }))
  const module = path.join(import.meta.dirname, 'secrets.ts')
  const program = `(await import(${JSON.stringify(module)})).readSecrets({}, ${JSON.stringify(dataDir)}).session`
  // No file may have content, as on a full disk.
  const limited = ['-c', 'ulimit -f 0; exec "$0" --input-type=module --eval "$1"', process.execPath, program]
  expect(spawnSync('sh', limited, { env: { PATH: process.env.PATH } }).status).not.toBe(0)
  const secrets = readSecrets({} as never, dataDir)
  expect(secrets.encryption).toMatch(/^[0-9a-f]{64}$/)
  expect(readSecrets({} as never, dataDir)).toEqual(secrets)
  expect(statSync(path.join(dataDir, 'secrets.json')).mode & 0o777).toBe(0o600)
})
