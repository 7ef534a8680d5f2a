import { copyFileSync, rmSync, writeFileSync } from 'node:fs'
import net from 'node:net'
import { inspect } from 'node:util'
import { afterAll, afterEach, describe, expect, it, onTestFinished, vi } from 'vitest'
import { eventually } from '#backend/testing/eventually.ts'
import { stopwatch } from '#backend/testing/stopwatch.ts'
import { createLog } from '../../observability/log.ts'
import { type EventStore, StoreRejected, StoreUnavailable } from '../eventStore.port.ts'
import { EventStoreDbTestServer } from '../testing/eventStoreDbTestServer.ts'
import { event, follow } from '../testing/followLog.ts'
import { createTestAuthority } from '../testing/testCertificates.ts'
import { createEventStoreDb } from './eventStoreDb.ts'
import { EventStoreDbConnection } from './eventStoreDbConnection.ts'
import { readHead } from './eventStoreDbReads.ts'
import { parseEventStoreUrl } from './eventStoreDbSettings.ts'

const PASSWORD = 'pass word'
const authority = createTestAuthority()
afterAll(authority.remove)

const servers: EventStoreDbTestServer[] = []
const stores: EventStore[] = []
afterEach(async () => {
  for (const store of stores.splice(0)) await store.close()
  for (const server of servers.splice(0)) server.kill()
})

const serve = async (options: ConstructorParameters<typeof EventStoreDbTestServer>[0] = {}) => {
  const server = await new EventStoreDbTestServer({ tls: authority.issue(), ...options }).start()
  server.users.set('kinora', PASSWORD)
  servers.push(server)
  return server
}
const connect = (url: string, ca?: string) => {
  const store = createEventStoreDb({ url, ca })
  stores.push(store)
  return store
}
/**
 * Returns the error of a probe, after checking that its message is one sentence or two without the password. Starvation of
 * a second makes the store unavailable, but rejects nothing.
 */
const faultOf = (store: EventStore, kind: typeof StoreRejected | typeof StoreUnavailable = StoreRejected) =>
  eventually(async () => {
    const fault: Error = await store.probe().then(
      () => new Error('the probe succeeded'),
      (error) => error,
    )
    expect(fault).toBeInstanceOf(kind)
    expect(fault.message).not.toMatch(/\n|pass( |%20)word/)
    return fault
  })

describe('a connection to EventStoreDB', () => {
  it('is kept while the file of the authority is missing or broken, and is replaced afterwards', async () => {
    vi.useFakeTimers({ toFake: ['performance'] })
    onTestFinished(() => void vi.useRealTimers())
    const server = await serve()
    const { ca, remove } = createTestAuthority()
    onTestFinished(remove)
    copyFileSync(authority.ca, ca)
    const log = { warn: vi.fn() }
    const connection = new EventStoreDbConnection({ ...parseEventStoreUrl(server.url), ca }, log)
    onTestFinished(() => connection.close())
    const { client } = connection
    await readHead(client, 60_000)
    for (const damage of [() => rmSync(ca), () => writeFileSync(ca, 'half a certificate')]) {
      damage()
      vi.advanceTimersByTime(250)
      connection.renew(client)
      await readHead(connection.client, 60_000)
    }
    expect(connection.client).toBe(client)
    expect(log.warn).toHaveBeenCalledTimes(2)
    copyFileSync(authority.ca, ca)
    vi.advanceTimersByTime(250)
    connection.renew(client)
    expect(connection.client).not.toBe(client)
    await readHead(connection.client, 60_000)
  })

  it('fails as an outage while the file of the authority is missing and the server is away', async () => {
    const server = await serve()
    const { ca, remove } = createTestAuthority()
    const store = connect(server.url, ca)
    remove()
    server.kill()
    await expect(store.probe()).rejects.toThrow(StoreUnavailable)
  })
})

describe('the probe of EventStoreDB', () => {
  it('appends one event, however often it runs, which no subscription delivers', async () => {
    const server = await serve()
    const store = connect(server.url, authority.ca)
    for (let n = 0; n < 5; n++) await eventually(() => store.probe())
    await store.append('real-1', 'no_stream', [event('A')])
    expect(server.log.all.map(({ stream }) => stream)).toEqual(['probe', 'real-1'])
    const { events } = await follow(store, { until: (_, live) => live })
    expect(events.map(({ stream }) => stream)).toEqual(['real-1'])
  })

  it.each(['append', 'read', 'read $all'] as const)('names the missing right to %s', async (right) => {
    const server = await serve()
    server.denied.add(right)
    const fault = await faultOf(connect(server.url, authority.ca))
    expect(fault.message).toMatch(/^EVENTSTORE_URL: the user kinora has no right to /)
    expect(fault.message).toContain(`right to ${right}`)
  })

  it('names the user that the server rejects', async () => {
    const server = await serve()
    server.users.set('kinora', 'another')
    const fault = await faultOf(connect(server.url, authority.ca))
    expect(fault.message).toMatch(/^EVENTSTORE_URL: the server rejects the user kinora or the password\./)
  })

  it('asks for a user if the address names none', async () => {
    const server = await serve()
    const fault = await faultOf(connect(`esdb://localhost:${server.port}`, authority.ca))
    expect(fault.message).toMatch(/^EVENTSTORE_URL: the server requires a user\./)
  })

  it.each([
    ['from an unknown authority', {}, undefined, /^EVENTSTORE_CA: .* is not trusted .*Set EVENTSTORE_CA/],
    [
      'that has expired',
      { tls: authority.issue('localhost', { from: 0, to: 1 }) },
      authority.ca,
      /^EVENTSTORE_URL: .*not valid now/,
    ],
    ['of another host', { tls: authority.issue('elsewhere') }, authority.ca, /^EVENTSTORE_URL: .*another host/],
    ['on a server without TLS', { tls: undefined }, authority.ca, /^EVENTSTORE_URL: .*answers without TLS.*tls=false/],
  ] as const)('rejects a certificate %s', async (_, options, ca, message) => {
    const { port } = await serve(options)
    const fault = await faultOf(connect(`esdb://kinora:pass%20word@localhost:${port}`, ca))
    expect(fault.message).toMatch(message)
  })

  it('rejects an address without TLS of a server that requires it', async () => {
    const { port } = await serve()
    const fault = await faultOf(connect(`esdb://localhost:${port}?tls=false`))
    expect(fault.message).toMatch(/^EVENTSTORE_URL: .*requires TLS\. Remove tls=false\.$/)
  })

  it('accepts a cluster in which one certificate is still good', async () => {
    const good = await serve()
    const expired = await serve({ tls: authority.issue('localhost', { from: 0, to: 1 }), log: good.log })
    for (const server of [good, expired]) server.members = [{ host: 'localhost', port: good.port }]
    const store = connect(`esdb://kinora:pass%20word@localhost:${expired.port},localhost:${good.port}`, authority.ca)
    await eventually(() => store.probe())
  })

  it('says within two seconds why a server cannot be reached', async () => {
    // Nothing listens on port 1, and no other test is given it.
    const gone = 1
    const mute = net.createServer(() => {}).listen(0, '127.0.0.1')
    await new Promise((resolve) => mute.once('listening', resolve))
    const { port } = mute.address() as net.AddressInfo
    const took = stopwatch()
    const faults = await Promise.all([
      faultOf(connect(`esdb://kinora:pass%20word@localhost:${gone}`, authority.ca), StoreUnavailable),
      faultOf(connect(`esdb://kinora:pass%20word@localhost:${port}`, authority.ca), StoreUnavailable),
      faultOf(connect(`esdb://127.0.0.1:${gone}?tls=false`), StoreUnavailable),
      faultOf(connect(`esdb://127.0.0.1:${port}?tls=false`), StoreUnavailable),
    ])
    took.within(2_500)
    mute.close()
    expect(faults.map(({ message }) => message)).toEqual([
      `EventStoreDB does not answer (localhost:${gone}: ECONNREFUSED)`,
      `EventStoreDB does not answer (localhost:${port} does not answer)`,
      `EventStoreDB does not answer (127.0.0.1:${gone}: ECONNREFUSED)`,
      `EventStoreDB does not answer (127.0.0.1:${port} does not answer)`,
    ])
  })

  it('keeps the password out of errors, log lines and the console', async () => {
    const server = await serve()
    const texts: string[] = []
    const collect = (...parts: unknown[]) => void texts.push(inspect(parts, { depth: 20, showHidden: true }))
    const spies = (['log', 'warn', 'error'] as const).map((name) => vi.spyOn(console, name).mockImplementation(collect))
    const log = createLog('trace', { write: collect })
    const open = (url: string) => {
      const store = createEventStoreDb({ url, ca: authority.ca, log, appendAttempts: 2, giveUpAfter: 300 })
      stores.push(store)
      return store
    }
    const store = open(`${server.url}?keepAliveInterval=1000`)
    server.users.set('kinora', 'another')
    await store.probe().catch(collect)
    await store.append('a-1', 'any', [event('A')]).catch(collect)
    server.kill()
    await store.append('a-1', 'no_stream', [event('A')]).catch(collect)
    await store.head().catch(collect)
    await store.probe().catch(collect)
    for (const wrong of ['?tls=maybe', '?pass=1', ':port', '/path']) {
      try {
        open(`esdb://kinora:pass%20word@localhost${wrong}`)
      } catch (error) {
        collect(error)
      }
    }
    for (const spy of spies) spy.mockRestore()
    expect(texts.length).toBeGreaterThan(9)
    const secrets = [PASSWORD, encodeURIComponent(PASSWORD), Buffer.from(`kinora:${PASSWORD}`).toString('base64')]
    for (const secret of secrets) expect(texts.join('\n')).not.toContain(secret)
  })
})
