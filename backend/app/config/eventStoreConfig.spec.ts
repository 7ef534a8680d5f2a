import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { testCertificate } from '../../providers/payments/paypal/testing/testCertificate.ts'
import { eventStoreFaults } from './eventStoreConfig.ts'

const folder = mkdtempSync(path.join(os.tmpdir(), 'kinora-events-config-'))
afterAll(() => rmSync(folder, { recursive: true }))

describe('the address of EventStoreDB', () => {
  it('requires EVENTSTORE_CA to name a file with a certificate, and only with TLS', () => {
    const faults = (env: Record<string, string>) => eventStoreFaults({ EVENTSTORE_URL: 'esdb://events:2113', ...env })
    const ca = path.join(folder, 'ca.crt')
    writeFileSync(ca, testCertificate('authority', { from: 0, to: Date.now() }).pem)
    expect(faults({ EVENTSTORE_CA: ca })).toEqual([])
    expect(faults({ EVENTSTORE_CA: '/nowhere/ca.crt' })).toEqual(['EVENTSTORE_CA: /nowhere/ca.crt does not exist'])
    const other = import.meta.filename
    expect(faults({ EVENTSTORE_CA: other })).toEqual([`EVENTSTORE_CA: ${other} contains no certificate`])
    expect(faults({ EVENTSTORE_CA: folder })).toEqual([`EVENTSTORE_CA: ${folder} cannot be read (EISDIR)`])
    expect(faults({ EVENTSTORE_URL: '', EVENTSTORE_CA: ca })).toEqual([expect.stringMatching(/^EVENTSTORE_CA is set/)])
    expect(faults({ EVENTSTORE_URL: 'esdb://events:2113?tls=false', EVENTSTORE_CA: ca })).toHaveLength(1)
  })

  it.each(['p@ss', 'p/ss', 'p:ss', 'p#ss', 'p?ss', '100%', 'p ss', 'p%2', 'pä'])(
    'refuses the password %s in EVENTSTORE_URL if it is not percent-encoded, and does not print it',
    (password) => {
      const [fault = '', ...others] = eventStoreFaults({ EVENTSTORE_URL: `esdb://kinora:${password}@events:2113` })
      expect([fault, others]).toEqual([expect.stringMatching(/^EVENTSTORE_URL .*percent-encode/), []])
      expect(fault).not.toContain(password)
      const encoded = `esdb://kinora:${encodeURIComponent(password)}@events:2113`
      expect(eventStoreFaults({ EVENTSTORE_URL: encoded })).toEqual([])
    },
  )

  it.each([
    ['http://events:2113', 'is not an address'],
    ['esdb://', 'is not an address'],
    ['esdb://kinora@events:2113', 'names no user and password'],
    ['esdb://e1:2113,e2:port', 'contains an invalid host'],
    ['esdb://events:99999', 'contains an invalid host'],
    ['esdb://events:2113?tls=no', 'has an invalid option: tls must be true or false'],
    ['esdb://events:2113?secret=hunter2', 'has an unknown option'],
    ['esdb://events:2113?gossipTimeout=soon', 'has an invalid option: gossipTimeout must be a number'],
  ])('refuses EVENTSTORE_URL=%s', (url, fault) => {
    expect(eventStoreFaults({ EVENTSTORE_URL: url })).toEqual([expect.stringContaining(`EVENTSTORE_URL ${fault}`)])
  })

  it('accepts clusters, DNS names and options in EVENTSTORE_URL', () => {
    for (const url of [
      'esdb://localhost:2113?tls=false',
      'esdb://kinora:s%40crt@e1.internal:2113,e2.internal:2113,e3.internal',
      'esdb+discover://kinora:secret@events.internal:2113/?nodePreference=leader&KeepAliveInterval=10000',
    ])
      expect(eventStoreFaults({ EVENTSTORE_URL: url })).toEqual([])
  })
})
