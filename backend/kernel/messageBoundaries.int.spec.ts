import { connect } from 'node:net'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startTestKinora, type TestKinora } from '../testing/testKinora.ts'

let kinora: TestKinora
beforeAll(async () => {
  kinora = await startTestKinora()
})
afterAll(() => kinora.close())

/** Sends raw lines and returns the status of every response on the connection. */
const statusesOf = (lines: readonly string[]) =>
  new Promise<string[]>((resolve, reject) => {
    const { hostname, port } = new URL(kinora.url)
    const socket = connect(Number(port), hostname, () => socket.end(lines.join('\r\n')))
    let answer = ''
    socket.on('data', (chunk) => (answer += chunk))
    socket.on('error', reject)
    socket.on('close', () => resolve([...answer.matchAll(/^HTTP\/1\.1 (\d+)/gm)].map(([, status]) => status!)))
  })

const SMUGGLED = ['GET /healthz HTTP/1.1', 'Host: localhost', '', '']

describe('a request whose length is ambiguous', () => {
  it.each([
    ['both a length and chunks', ['Content-Length: 4', 'Transfer-Encoding: chunked', '', '0', '']],
    ['two lengths', ['Content-Length: 0', 'Content-Length: 40', '']],
    ['an unknown transfer encoding', ['Transfer-Encoding: chunked, identity', '', '0', '']],
    ['a length that is no number', ['Content-Length: +4', '']],
    ['a space before the colon', ['Content-Length : 4', '']],
  ])('is rejected with the rest of the connection if it has %s', async (_, rest) => {
    const head = ['POST /api/v1/auth/login HTTP/1.1', 'Host: localhost']
    expect(await statusesOf([...head, ...rest, ...SMUGGLED])).toEqual(['400'])
  })
})

describe('the method TRACE', () => {
  it('is not supported', async () => {
    const lines = ['TRACE / HTTP/1.1', 'Host: localhost', 'Cookie: kinora_access=secret', 'Connection: close', '', '']
    expect(await statusesOf(lines)).not.toContain('200')
  })
})
