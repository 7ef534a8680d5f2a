import { expect, it, vi } from 'vitest'
import { hasPasskeys } from './passkeys.ts'

it.each([
  ['localhost', true],
  ['kinora.example', true],
  ['127.0.0.1', false],
  ['192.168.1.20', false],
  ['[::1]', false],
])('offers passkeys at %s: %s', (hostname, isOffered) => {
  vi.stubGlobal('PublicKeyCredential', class {})
  vi.stubGlobal('location', { hostname })
  expect(hasPasskeys()).toBe(isOffered)
})
