import type { LookupAddress } from 'node:dns'
import { describe, expect, it } from 'vitest'
import { isPublicAddress, PrivateAddress, publicLookup } from './publicLookup.ts'

describe('an IP address', () => {
  it.each(['1.1.1.1', '93.184.216.34', '172.32.0.1', '2606:4700::1111', '::ffff:8.8.8.8'])('%s is public', (address) =>
    expect(isPublicAddress(address)).toBe(true),
  )
  it.each([
    ...['0.0.0.0', '10.1.2.3', '100.64.0.1', '127.0.0.1', '127.9.9.9', '169.254.169.254', '172.16.0.1', '192.168.1.1'],
    ...['192.0.2.1', '198.18.0.1', '224.0.0.1', '240.0.0.1', '255.255.255.255'],
    ...['::', '::1', '::127.0.0.1', '::ffff:127.0.0.1', '::ffff:a00:1', '64:ff9b::a00:1', '2002:7f00:1::', '2001::1'],
    ...['fe80::1', 'fe80::1%eth0', 'fc00::1', 'fd00:ec2::254', 'fec0::1', 'ff02::1', '2001:db8::1'],
    ...['', 'localhost', '1.1.1.1:80', '[::1]'],
  ])('%s is not public', (address) => expect(isPublicAddress(address)).toBe(false))
})

describe('the lookup of a host', () => {
  const addresses = (...list: string[]): LookupAddress[] =>
    list.map((address) => ({ address, family: address.includes(':') ? 6 : 4 }))
  const found = (answer: LookupAddress[], all: boolean) =>
    new Promise((resolve, reject) =>
      publicLookup((_host, _options, answered) => answered(null, answer))('videos.test', { all }, (error, address) =>
        error ? reject(error) : resolve(address),
      ),
    )

  it('returns the public addresses only', async () => {
    const mixed = addresses('10.0.0.1', '2606:4700::1111', '::1', '1.1.1.1')
    expect(await found(mixed, true)).toEqual(addresses('2606:4700::1111', '1.1.1.1'))
    expect(await found(mixed, false)).toBe('2606:4700::1111')
  })
  it.each([[[]], [['127.0.0.1']], [['::1', 'fd00::1', '192.168.0.1']]])('fails for %j', async (list) => {
    await expect(found(addresses(...list), true)).rejects.toThrow(PrivateAddress)
  })
  it('resolves once per connection, so that the checked address is the one connected to', async () => {
    let asked = 0
    const rebinding = publicLookup((_host, _options, answered) =>
      answered(null, addresses(asked++ === 0 ? '1.1.1.1' : '127.0.0.1')),
    )
    const first = await new Promise((resolve) => rebinding('rebind.test', {}, (_, address) => resolve(address)))
    expect([first, asked]).toEqual(['1.1.1.1', 1])
    const second = await new Promise((resolve) => rebinding('rebind.test', {}, (error) => resolve(error)))
    expect(second).toBeInstanceOf(PrivateAddress)
  })
})
