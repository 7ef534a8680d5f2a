import { expect, it } from 'vitest'
import { truncatedAddress } from './truncatedAddress.ts'

it.each([
  ['203.0.113.77', '203.0.113.0/24'],
  ['::ffff:203.0.113.77', '203.0.113.0/24'],
  ['2001:db8:1:2:3:4:5:6', '2001:db8:1::/48'],
  ['2001:db8::6', '2001:db8:0::/48'],
  ['::1', '0:0:0::/48'],
  ['fe80::1%eth0', 'fe80:0:0::/48'],
  ['64:ff9b::203.0.113.77', '64:ff9b:0::/48'],
  ['unknown', null],
  ['', null],
])('the network of %s is %s', (address, network) => {
  expect(truncatedAddress(address)).toBe(network)
})
