import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import { expect, it, onTestFinished } from 'vitest'
import { replaceFetchDispatcher } from './globalFetch.ts'

const BODY = 'a'.repeat(64 * 1024)

it('survives a server that closes the connection of an answer that is not yet read', async () => {
  replaceFetchDispatcher()
  const closed = Promise.withResolvers<void>()
  const server = createServer((socket) =>
    socket.once('data', () => {
      socket.write(`HTTP/1.1 200 OK\r\nContent-Length: ${BODY.length}\r\nConnection: close\r\n\r\n`)
      socket.once('close', closed.resolve).end(BODY)
    }),
  )
  onTestFinished(() => void server.close())
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const answer = await fetch(`http://127.0.0.1:${(server.address() as AddressInfo).port}`)
  await closed.promise
  expect(await answer.text()).toBe(BODY)
})
