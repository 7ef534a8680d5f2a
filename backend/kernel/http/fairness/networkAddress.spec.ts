import { expect, it } from 'vitest'
import { coarseNetwork, networkAddress, wideNetwork } from './networkAddress.ts'

it.each([
  ['203.0.113.9', '203.0.113.9'],
  ['::ffff:203.0.113.9', '203.0.113.9'],
  ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
  ['2001:db8:1:2::6', '2001:db8:1:2::/64'],
  ['2001:db8::6', '2001:db8:0:0::/64'],
  ['::1', '0:0:0:0::/64'],
])('%s counts as %s', (ip, place) => {
  expect(networkAddress({ ip })).toBe(place)
})

it.each([
  ['203.0.113.9', '203.0.113.9'],
  ['::ffff:203.0.113.9', '203.0.113.9'],
  ['2001:db8:1:2::6', '2001:db8:1::/48'],
])('%s shares the budget of %s', (ip, network) => {
  expect(wideNetwork({ ip })).toBe(network)
})

it.each([
  ['203.0.113.9', '203.0.113.0/24'],
  ['::ffff:203.0.113.9', '203.0.113.0/24'],
  ['2001:db8:1:2:3:4:5:6', '2001:db8:1::/48'],
  ['fe80::1%eth0', 'fe80:0:0::/48'],
  ['unknown', null],
])('%s is shown as %s', (ip, network) => {
  expect(coarseNetwork({ ip })).toBe(network)
})
