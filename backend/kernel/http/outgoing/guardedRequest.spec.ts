import type { LookupAddress } from 'node:dns'
import { once } from 'node:events'
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { describe, expect, it, onTestFinished } from 'vitest'
import { createGuard, isPrivateHost, isPublicAddress, publicLookup, RefusedAddress, toHost } from './guardedRequest.ts'
import { REFUSED_ADDRESSES, SPECIAL_ADDRESSES } from './testing/refusedAddresses.ts'

const NEVER = new AbortController().signal
const addresses = (...list: string[]): LookupAddress[] =>
  list.map((address) => ({ address, family: address.includes(':') ? 6 : 4 }))

describe('an IP address', () => {
  const PUBLIC = ['1.1.1.1', '93.184.216.34', '172.32.0.1', '192.0.1.1', '2606:4700::1111', '2001:200::1']
  it.each([...PUBLIC, '::ffff:8.8.8.8'])('%s is public', (address) => expect(isPublicAddress(address)).toBe(true))
  it.each([...SPECIAL_ADDRESSES, 'fe80::1%eth0', '', 'localhost', '1.1.1.1:80', '[::1]'])(
    '%s is not public',
    (address) => expect(isPublicAddress(address)).toBe(false),
  )
})

describe('a host', () => {
  it.each(['localhost', 'localhost.', 'gpu', 'a.internal', '10.0.0.1', '[::1]'])('%s is private', (host) =>
    expect(isPrivateHost(host)).toBe(true),
  )
  it.each(['kinora.example', 'kinora.example.', '1.1.1.1', '[2606:4700::1111]'])('%s is not private', (host) =>
    expect(isPrivateHost(host)).toBe(false),
  )
  it('of a list is spelled as in a URL, and has no port', () => {
    const spelled = { '10.1': '10.0.0.1', N8N: 'n8n', 'a.internal.': 'a.internal', 'fd00:0::1': 'fd00::1' }
    for (const [text, host] of Object.entries(spelled)) expect(toHost(text)).toBe(host)
    for (const text of ['', 'n8n:5678', 'a/b', 'a@b', 'https://n8n'])
      expect([text, toHost(text)]).toEqual([text, undefined])
  })
})

describe('the lookup of a host', () => {
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
    await expect(found(addresses(...list), true)).rejects.toThrow(RefusedAddress)
  })
  it('resolves once per connection, so that the checked address is the one connected to', async () => {
    let asked = 0
    const rebinding = publicLookup((_host, _options, answered) =>
      answered(null, addresses(asked++ === 0 ? '1.1.1.1' : '127.0.0.1')),
    )
    const first = await new Promise((resolve) => rebinding('rebind.test', {}, (_, address) => resolve(address)))
    expect([first, asked]).toEqual(['1.1.1.1', 1])
    const second = await new Promise((resolve) => rebinding('rebind.test', {}, (error) => resolve(error)))
    expect(second).toBeInstanceOf(RefusedAddress)
  })
})

describe('the guard', () => {
  const served = async (serve: RequestListener) => {
    const server = createServer(serve)
    onTestFinished(() => {
      server.closeAllConnections()
      server.close()
    })
    await once(server.listen(0, '127.0.0.1'), 'listening')
    return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  }
  it.each(REFUSED_ADDRESSES)('refuses %s', async (address) => {
    expect(() => createGuard().check(address)).toThrow(RefusedAddress)
    expect(() => createGuard().request(address, {})).toThrow(RefusedAddress)
    await expect(createGuard().send(address, {})).rejects.toThrow(RefusedAddress)
  })

  it.each([
    'https://kinora.example/a?b#c',
    'https://kinora.example:8443/',
    'https://1.1.1.1/',
    'https://[2606:4700::1]/',
  ])('accepts %s', (address) => expect(createGuard().check(address).href).toBe(address))

  it('checks a name when it is requested, and never says what it resolves to', async () => {
    const guard = createGuard({ resolve: (_host, _options, answered) => answered(null, addresses('10.20.30.40')) })
    expect(guard.check('https://rebind.test/').hostname).toBe('rebind.test')
    const refused = await guard.send('https://rebind.test/', {}).catch(String)
    expect(refused).toBe('RefusedAddress: rebind.test has no public address')
  })

  it('reaches the private hosts of the list, over http only if that is allowed', async () => {
    const url = await served((_, response) => response.end('ok'))
    const privateHosts = ['127.0.0.1', 'n8n']
    await expect(createGuard({ privateHosts }).send(url, {})).rejects.toThrow('not https')
    expect(await createGuard({ privateHosts, allowsHttp: true }).send(url, {})).toMatchObject({
      status: 200,
      body: 'ok',
    })
    expect(() => createGuard({ privateHosts }).check('https://n8n.:5678/')).not.toThrow()
    for (const other of ['https://127.0.0.2/', 'https://xn8n/', 'http://1.1.1.1/', 'https://n8n:22/'])
      expect(() => createGuard({ privateHosts, allowsHttp: true }).check(other)).toThrow(RefusedAddress)
  })

  it('reaches an origin of the configuration, and no other port of its host', async () => {
    const url = await served((_, response) => response.end('ok'))
    const guard = createGuard().trusting(`${url}/base`)
    expect((await guard.send(`${url}/x`, {})).status).toBe(200)
    expect(() => guard.check('http://127.0.0.1:1/')).toThrow(RefusedAddress)
    expect(() => guard.check(url.replace('//', '//user@'))).toThrow('user or password')
  })

  it('follows redirects of files only, through the check', async () => {
    const paths: string[] = []
    const url = await served(({ url: path }, response) => {
      paths.push(path!)
      response.writeHead(302, { location: path === '/a' ? '/b' : 'http://169.254.169.254/' }).end()
    })
    const guard = createGuard().trusting(url)
    expect((await guard.send(`${url}/a`, {})).status).toBe(302)
    await expect(guard.open(`${url}/a`, { headers: () => ({}), signal: NEVER })).rejects.toThrow(RefusedAddress)
    expect(paths).toEqual(['/a', '/a', '/b'])
  })

  it('reads 64 KiB of an endless answer, and gives up one that does not come', async () => {
    const url = await served(({ url: path }, response) => {
      if (path === '/silent') return
      if (path === '/switches')
        return void response.socket?.write('HTTP/1.1 101 Other\r\nUpgrade: x\r\nConnection: upgrade\r\n\r\n')
      if (path === '/broken') return void response.writeHead(201).write('begun', () => response.destroy())
      const write = () => response.writable && response.write('a'.repeat(10_000), write)
      write()
    })
    const guard = createGuard().trusting(url)
    expect((await guard.send(url, {})).body).toBe('a'.repeat(64 * 1024))
    await expect(guard.send(`${url}/silent`, { timeoutMs: 50 })).rejects.toThrow()
    expect((await guard.send(`${url}/broken`, {})).status).toBe(201)
    await expect(guard.send(`${url}/switches`, {})).rejects.toThrow('closed without an answer')
  })
})
