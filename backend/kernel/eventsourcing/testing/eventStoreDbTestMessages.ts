import { randomUUID } from 'node:crypto'
import gossip from '@eventstore/db-client/generated/gossip_pb.js'
import features from '@eventstore/db-client/generated/serverfeatures_pb.js'
import shared from '@eventstore/db-client/generated/shared_pb.js'
import rpc from '@eventstore/db-client/generated/status_pb.js'
import streams from '@eventstore/db-client/generated/streams_pb.js'
import * as grpc from '@grpc/grpc-js'
import type { ExpectedRevision, LoggedEvent, Outcome, ProposedEvent } from './eventStoreDbTestLog.ts'

/** Creates a gRPC server error. The client reads the error's type from the trailers. */
export function rpcError(code: grpc.status, details: string, trailers: Record<string, string> = {}): grpc.ServiceError {
  const metadata = new grpc.Metadata()
  for (const [name, value] of Object.entries(trailers)) metadata.set(name, value)
  return Object.assign(new Error(details), { code, details, metadata })
}

export function nameOf(identifier: shared.StreamIdentifier | undefined): string {
  return Buffer.from(identifier?.getStreamName_asU8() ?? []).toString('utf8')
}

function identifier(name: string): shared.StreamIdentifier {
  return new shared.StreamIdentifier().setStreamName(Buffer.from(name, 'utf8'))
}

export function expectedOf(options: streams.AppendReq.Options | streams.BatchAppendReq.Options): ExpectedRevision {
  if (options.hasNoStream()) return 'no_stream'
  if (options.hasAny()) return 'any'
  if (options.hasStreamExists()) return 'stream_exists'
  return Number('getRevision' in options ? options.getRevision() : options.getStreamPosition())
}

export function proposedOf(
  message: streams.AppendReq.ProposedMessage | streams.BatchAppendReq.ProposedMessage,
): ProposedEvent {
  const metadata = message.getMetadataMap()
  return {
    id: message.getId()?.getString() ?? '',
    type: metadata.get('type') ?? '',
    json: metadata.get('content-type') === 'application/json',
    data: message.getData_asU8(),
    meta: message.getCustomMetadata_asU8(),
  }
}

export function appendAnswer(expected: ExpectedRevision, outcome: Outcome): streams.AppendResp {
  const answer = new streams.AppendResp()
  const nothing = new shared.Empty()
  if (outcome.written) {
    const at = String(outcome.position)
    const position = new streams.AppendResp.Position().setCommitPosition(at).setPreparePosition(at)
    const revision = String(outcome.revision)
    return answer.setSuccess(new streams.AppendResp.Success().setCurrentRevision(revision).setPosition(position))
  }
  const wrong = new streams.AppendResp.WrongExpectedVersion()
  if (outcome.current < 0) wrong.setCurrentNoStream(nothing)
  else wrong.setCurrentRevision(String(outcome.current))
  if (expected === 'any') wrong.setExpectedAny(nothing)
  else if (expected === 'no_stream') wrong.setExpectedNoStream(nothing)
  else if (expected === 'stream_exists') wrong.setExpectedStreamExists(nothing)
  else wrong.setExpectedRevision(String(expected))
  return answer.setWrongExpectedVersion(wrong)
}

/** Answers one append of a batch stream. */
export function batchAnswer(
  id: shared.UUID,
  stream: string,
  expected: ExpectedRevision,
  outcome: Outcome | grpc.ServiceError,
): streams.BatchAppendResp {
  const answer = new streams.BatchAppendResp().setCorrelationId(id).setStreamIdentifier(identifier(stream))
  if (outcome instanceof Error) return answer.setError(refusalStatus(outcome))
  if (!outcome.written) return answer.setError(wrongVersionStatus(expected, outcome.current))
  const at = String(outcome.position)
  const position = new shared.AllStreamPosition().setCommitPosition(at).setPreparePosition(at)
  const revision = String(outcome.revision)
  return answer.setSuccess(new streams.BatchAppendResp.Success().setCurrentRevision(revision).setPosition(position))
}

/** Names and codes of the server's `Status.cs`. An append that no node takes has neither (`NotHandled` in `Streams.BatchAppend.cs`). */
function refusalStatus({ code, details }: grpc.ServiceError): rpc.Status {
  if (code === grpc.status.PERMISSION_DENIED) return status(code, 'AccessDenied', new shared.AccessDenied())
  if (code === grpc.status.DEADLINE_EXCEEDED) return status(code, 'Timeout', new shared.Timeout())
  if (code === grpc.status.INVALID_ARGUMENT)
    return status(code, 'MaximumAppendSizeExceeded', new shared.MaximumAppendSizeExceeded())
  const message = code === grpc.status.UNAVAILABLE ? 'Server Is Busy' : details
  return withDetails(new rpc.Status().setMessage(message), 'google.protobuf.Empty', new shared.Empty())
}

function wrongVersionStatus(expected: ExpectedRevision, current: number): rpc.Status {
  const [wrong, nothing] = [new shared.WrongExpectedVersion(), new shared.Empty()]
  if (current < 0) wrong.setCurrentNoStream(nothing)
  else wrong.setCurrentStreamRevision(String(current))
  if (expected === 'any') wrong.setExpectedAny(nothing)
  else if (expected === 'no_stream') wrong.setExpectedNoStream(nothing)
  else if (expected === 'stream_exists') wrong.setExpectedStreamExists(nothing)
  else wrong.setExpectedStreamPosition(String(expected))
  return status(grpc.status.ALREADY_EXISTS, 'WrongExpectedVersion', wrong)
}

interface Serializable {
  serializeBinary(): Uint8Array
}

/** @param name also the name of the type of the details */
function status(code: number, name: string, details: Serializable): rpc.Status {
  return withDetails(new rpc.Status().setCode(code).setMessage(name), `event_store.client.${name}`, details)
}

function withDetails(status: rpc.Status, type: string, details: Serializable): rpc.Status {
  // An empty message of `google.protobuf.Any`: field 3 of a status, without content.
  const any = rpc.Status.deserializeBinary(Uint8Array.of(0x1a, 0)).getDetails()!
  any.pack(details.serializeBinary(), type)
  return status.setDetails(any)
}

export function eventMessage(event: LoggedEvent): streams.ReadResp {
  const position = String(event.position)
  const recorded = new streams.ReadResp.ReadEvent.RecordedEvent()
    .setId(new shared.UUID().setString(event.id))
    .setStreamIdentifier(identifier(event.stream))
    .setStreamRevision(String(event.revision))
    .setCommitPosition(position)
    .setPreparePosition(position)
    .setData(event.data)
    .setCustomMetadata(event.meta)
  recorded
    .getMetadataMap()
    .set('type', event.type)
    // In ticks of 100 ns.
    .set('created', String(BigInt(event.created) * 10_000n))
    .set('content-type', event.json ? 'application/json' : 'application/octet-stream')
  return new streams.ReadResp().setEvent(
    new streams.ReadResp.ReadEvent().setEvent(recorded).setCommitPosition(position),
  )
}

export function confirmationMessage(): streams.ReadResp {
  const confirmation = new streams.ReadResp.SubscriptionConfirmation().setSubscriptionId(randomUUID())
  return new streams.ReadResp().setConfirmation(confirmation)
}

export function checkpointMessage(position: bigint): streams.ReadResp {
  const at = String(position)
  return new streams.ReadResp().setCheckpoint(
    new streams.ReadResp.Checkpoint().setCommitPosition(at).setPreparePosition(at),
  )
}

export function caughtUpMessage(): streams.ReadResp {
  return new streams.ReadResp().setCaughtUp(new streams.ReadResp.CaughtUp())
}

export function streamNotFoundMessage(stream: string): streams.ReadResp {
  const notFound = new streams.ReadResp.StreamNotFound().setStreamIdentifier(identifier(stream))
  return new streams.ReadResp().setStreamNotFound(notFound)
}

export function supportedMethods(version: string): features.SupportedMethods {
  const supported = new features.SupportedMethods().setEventStoreServerVersion(version)
  for (const name of ['read', 'append', 'delete', 'tombstone', 'batchappend']) {
    const method = new features.SupportedMethod()
      .setMethodName(name)
      .setServiceName('event_store.client.streams.streams')
    if (name === 'batchappend') method.setFeaturesList(['deadline_duration'])
    if (name === 'read') method.setFeaturesList(['position', 'events'])
    supported.addMethods(method)
  }
  return supported
}

export interface Member {
  readonly host: string
  readonly port: number
  /** Default: the leader. */
  readonly state?: 'leader' | 'follower' | 'dead'
}

export function clusterInfo(members: readonly Member[]): gossip.ClusterInfo {
  const info = new gossip.ClusterInfo()
  for (const { host, port, state = 'leader' } of members) {
    const endPoint = new gossip.EndPoint().setAddress(host).setPort(port)
    const member = new gossip.MemberInfo()
      .setInstanceId(new shared.UUID().setString(randomUUID()))
      .setTimeStamp('0')
      .setState(gossip.MemberInfo.VNodeState[state === 'leader' ? 'LEADER' : 'FOLLOWER'])
      .setIsAlive(state !== 'dead')
      .setHttpEndPoint(endPoint)
    info.addMembers(member)
  }
  return info
}
