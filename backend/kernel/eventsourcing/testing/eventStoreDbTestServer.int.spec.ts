import { randomUUID } from 'node:crypto'
import { promisify } from 'node:util'
import shared from '@eventstore/db-client/generated/shared_pb.js'
import { StreamsClient } from '@eventstore/db-client/generated/streams_grpc_pb.js'
import streams from '@eventstore/db-client/generated/streams_pb.js'
import * as grpc from '@grpc/grpc-js'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { type CuttableProxy, startCuttableProxy } from '../../../testing/cuttableProxy.ts'
import { EventStoreDbTestServer } from './eventStoreDbTestServer.ts'

let server: EventStoreDbTestServer
let proxy: CuttableProxy
beforeAll(async () => {
  server = new EventStoreDbTestServer()
  await server.start()
  proxy = await startCuttableProxy({ port: server.port, host: '127.0.0.1' })
})
afterAll(async () => {
  await proxy.close()
  server.kill()
})

const begin = (stream: string) => {
  const identifier = new shared.StreamIdentifier().setStreamName(Buffer.from(stream))
  const options = new streams.AppendReq.Options().setStreamIdentifier(identifier).setAny(new shared.Empty())
  return new streams.AppendReq().setOptions(options)
}
const event = () => {
  const message = new streams.AppendReq.ProposedMessage()
    .setId(new shared.UUID().setString(randomUUID()))
    .setData(Buffer.from('{}'))
  message.getMetadataMap().set('type', 'Sample').set('content-type', 'application/json')
  return new streams.AppendReq().setProposedMessage(message)
}

it.each([0, 1])('stores nothing of an append that is cut after %i of its events', async (count) => {
  const client = new StreamsClient(`127.0.0.1:${proxy.port}`, grpc.credentials.createInsecure())
  const answered = Promise.withResolvers<grpc.ServiceError | null>()
  const call = client.append((error: grpc.ServiceError | null) => answered.resolve(error))
  const write = promisify(call.write.bind(call) as (message: streams.AppendReq, done: () => void) => void)
  await write(begin(`cut-${count}`))
  for (let n = 0; n < count; n++) await write(event())
  await expect.poll(() => server.called).toContain('append')
  proxy.cut()
  expect(await answered.promise).toMatchObject({ code: grpc.status.UNAVAILABLE })
  await expect.poll(() => server.open).toBe(0)
  expect(server.log.all).toEqual([])
  server.called.length = 0
  client.close()
})
