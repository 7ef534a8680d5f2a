import { describe, expect, it } from 'vitest'
import { safeNext } from './safeNext.contract.ts'

const next = (value: string | null) => safeNext(value, '/workspace', 'https://kinora.test')

describe('safeNext', () => {
  it('accepts a path on this site', () => {
    expect(next('/zh/workspace?a=1#b')).toBe('/zh/workspace?a=1#b')
  })

  it.each([
    null,
    '',
    'workspace',
    'https://evil.test/',
    '//evil.test',
    '/\\evil.test',
    '/\t/evil.test',
    '/\n/evil.test',
    'javascript:alert(1)',
    '/.//evil.test',
    '/..//evil.test',
    '/%2e//evil.test',
    '/a/..//evil.test',
    '/./%2e%2e//evil.test/workspace',
    '///evil.test',
    '/\u0000/evil.test',
  ])('rejects %j', (value) => {
    expect(next(value)).toBe('/workspace')
  })
})
