import { createHash } from 'node:crypto'
import { box } from '../mp4Boxes.ts'
import { afterJfif } from './aigcField.ts'
import { encodeCbor } from './cbor.ts'
import { writeStore } from './claim.ts'
import { coseSign1, reservedBytes } from './coseSign1.ts'
import type { Credential } from './credential.ts'
import { C2PA_UUID } from './engineMarks.ts'
import { withField } from './fieldBoxes.ts'
import type { Assertion } from './manifest.ts'

const NO_HASH = Buffer.alloc(32)
/** Bytes of a manifest in a segment of a JPEG, whose length has 16 bits. */
const SEGMENT_BYTES = 65_500
/** Boxes that the hash of a film leaves out. C2PA demands these. */
const EXCLUSIONS = [{ xpath: '/uuid', data: [{ offset: 8, value: C2PA_UUID }] }, { xpath: '/ftyp' }, { xpath: '/mfra' }]

/** Writes manifests that are bound to a file. */
export interface Stores {
  /** Returns a manifest store of the length that it has when signed. */
  draft(binding: Assertion): Buffer
  signed(binding: Assertion): Buffer
}

export function createStores(credential: Credential, assertions: readonly Assertion[]): Stores {
  const size = reservedBytes(credential)
  const write = (sign: (claim: Buffer) => Buffer) => (binding: Assertion) => writeStore([binding, ...assertions], sign)
  return { draft: write(() => Buffer.alloc(size)), signed: write((claim) => coseSign1(claim, credential, size)) }
}

/** Returns the parts of a film with the `AIGC` field and a manifest, or undefined for one that only ffmpeg can give the field. */
export function signFilm(film: Buffer, field: string, stores: Stores): Buffer[] | undefined {
  const manifestBox = (store: Buffer) =>
    box('uuid', C2PA_UUID, Buffer.alloc(4), Buffer.from('manifest\0'), Buffer.alloc(8), store)
  const room = manifestBox(stores.draft(filmBinding(NO_HASH))).length
  const [type, ...boxes] = withField(film, field, room) ?? []
  if (!type) return undefined
  const binding = filmBinding(hashBoxes(boxes, type.length + room))
  return [type, manifestBox(stores.signed(binding)), ...boxes]
}

const filmBinding = (hash: Buffer): Assertion => ({
  label: 'c2pa.hash.bmff.v3',
  data: { exclusions: EXCLUSIONS, alg: 'sha256', hash },
})

/** Hashes the boxes of a film from a position on, each after its own position (C2PA 2.1, 18.6). */
function hashBoxes(boxes: readonly Buffer[], from: number): Buffer {
  const sum = createHash('sha256')
  let at = from
  for (const each of boxes) {
    const position = Buffer.alloc(8)
    position.writeBigUInt64BE(BigInt(at))
    sum.update(position).update(each)
    at += each.length
  }
  return sum.digest()
}

/** Returns the parts of a JPEG with a manifest. */
export function signPicture(jpeg: Buffer, stores: Stores): Buffer[] {
  const start = afterJfif(jpeg)
  const [before, after] = [jpeg.subarray(0, start), jpeg.subarray(start)]
  const binding = (length: number, hash: Buffer): Assertion => ({
    label: 'c2pa.hash.data',
    // The padding makes up for the digits of the length.
    data: { exclusions: [{ start, length }], alg: 'sha256', hash, pad: Buffer.alloc(9 - encodeCbor(length).length) },
  })
  const { length } = segments(stores.draft(binding(0, NO_HASH)))
  const hash = createHash('sha256').update(before).update(after).digest()
  return [before, segments(stores.signed(binding(length, hash))), after]
}

/** Returns the segments of a JPEG that contain a manifest store (ISO/IEC 19566-5, annex D). Each repeats its header. */
function segments(store: Buffer): Buffer {
  const made: Buffer[] = []
  for (let from = 8; from < store.length; from += SEGMENT_BYTES) {
    const part = store.subarray(from, from + SEGMENT_BYTES)
    const head = Buffer.from('ffeb00004a50021100000000', 'hex')
    head.writeUInt16BE(head.length + 6 + part.length, 2)
    head.writeUInt32BE(made.length / 3 + 1, 8)
    made.push(head, store.subarray(0, 8), part)
  }
  return Buffer.concat(made)
}
