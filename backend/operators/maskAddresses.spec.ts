import { describe, expect, it } from 'vitest'
import { maskText } from './maskAddresses.ts'

describe('a masked text', () => {
  it.each([
    ['alice@example.com', 'a•••@e•••.com'],
    ['a@b.co.uk', 'a•••@b•••.uk'],
    ['root@localhost', 'r•••@l•••'],
    ['名字@例子.公司', '名•••@例•••.公司'],
    ['no user with the address <alice@example.com>.', 'no user with the address <a•••@e•••.com>.'],
    ['/unsubscribe/alice@example.com', '/unsubscribe/a•••@e•••.com'],
  ])('keeps the first letters of a mail address: %s', (text, masked) => {
    expect(maskText(text)).toBe(masked)
  })

  it.each([
    ['203.0.113.9', '203.0.113.0/24'],
    ['203.0.113.9/32', '203.0.113.0/24'],
    ['connect to 203.0.113.9:443.', 'connect to 203.0.113.0/24:443.'],
    ['::ffff:203.0.113.9', '::ffff:203.0.113.0/24'],
    ['ip:203.0.113.9.', 'ip:203.0.113.0/24.'],
    ['ip:2001:db8:85a3:1::9.', 'ip:2001:db8:85a3::/48.'],
    ['[2001:db8:85a3:1::9]:443', '[2001:db8:85a3::/48]:443'],
    ['2001:db8:85a3:1::9', '2001:db8:85a3::/48'],
    ['2001:db8:85a3:1::/64: refused', '2001:db8:85a3::/48: refused'],
  ])('keeps the network of an address: %s', (text, masked) => {
    expect(maskText(text)).toBe(masked)
  })

  it.each([
    '203.0.113.0/24',
    '2001:db8:85a3::/48',
    '2026-11-21T10:42:07.000Z',
    '019a9f0e-7c11-7d52-a1b3-0f6c9c2d4e11',
    'creditAccount-0190a8f0-0000-7000-8000-000000000001',
    '/@vite/client @ 5 credits',
    'users 2026-11-01 2026-11-07',
  ])('keeps what is no address: %s', (text) => {
    expect(maskText(text)).toBe(text)
  })
})
