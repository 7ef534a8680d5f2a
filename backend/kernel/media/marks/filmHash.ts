import { createHash, hash } from 'node:crypto'
import { boxHeader, children } from '../mp4Boxes.ts'

/** Boxes that the hash of a film leaves out, beside that of the manifest. */
const LEFT_OUT = ['ftyp', 'mfra', 'free', 'skip']
const MANIFEST_BOX = Buffer.from('d8fec3d61b0e483c92975828877ec481', 'hex')
const NO_DATA = boxHeader('mdat', 0)

/** A film in two parts. */
export interface CutFilm {
  /** All boxes but the last, followed by an `mdat` box without data. */
  readonly skeleton: Buffer
  /** The last box, with the data of all samples. */
  readonly data: Buffer
}

/** The claim of a signed file, and its signature. Both are parts of the file. */
export interface SignedClaim {
  readonly claim: Uint8Array
  readonly signature: Uint8Array
}

/** Cuts a film whose data are in one box at its end. Returns undefined for others. */
export function cutFilm(film: Buffer): CutFilm | undefined {
  const boxes = [...children(film)]
  const { type, body } = boxes.at(-1) ?? {}
  if (type !== 'mdat' || !body || boxes.filter((each) => each.type === 'mdat').length > 1) return undefined
  const start = body.byteOffset - film.byteOffset - NO_DATA.length
  const data = film.subarray(start)
  return data.readUInt32BE(0) === data.length
    ? { skeleton: Buffer.concat([film.subarray(0, start), NO_DATA]), data }
    : undefined
}

/**
 * Gives a film the manifest of its signed skeleton: replaces the hash of the file in its assertion (C2PA 2.1, 18.7), the hash of the
 * assertion in the claim, and the signature. Hashes of WebAssembly take ten times as long as those of Node.js. Returns the boxes before the
 * data, which `signed` is changed to, or undefined if the manifest has another form.
 */
export function moveManifest(
  signed: Buffer,
  data: Buffer,
  { claim, signature }: SignedClaim,
  sign: (claim: Uint8Array) => Uint8Array,
): Buffer | undefined {
  const head = signed.subarray(0, -NO_DATA.length)
  const found = head.indexOf(hashOfFilm(head, NO_DATA))
  const [claimAt, signatureAt] = [head.indexOf(claim), head.indexOf(signature)]
  if (found < 0 || claimAt < 0 || signatureAt < 0) return undefined
  // The superbox of an assertion begins with its length and its type, which its hash leaves out.
  const start = head.lastIndexOf('jumb', found) + 4
  const assertion = head.subarray(start, start - 8 + head.readUInt32BE(start - 8))
  const linked = head.subarray(claimAt, claimAt + claim.length).indexOf(hash('sha256', assertion, 'buffer'))
  if (linked < 0) return undefined
  hashOfFilm(head, data).copy(head, found)
  hash('sha256', assertion, 'buffer').copy(head, claimAt + linked)
  head.set(sign(head.subarray(claimAt, claimAt + claim.length)), signatureAt)
  return head
}

/** Hashes the boxes of a film, each after its position (C2PA 2.1, 18.7, version 2 of the hash and later). */
function hashOfFilm(head: Buffer, data: Buffer): Buffer {
  const sum = createHash('sha256')
  const add = (at: number, content: Buffer) => {
    const position = Buffer.alloc(8)
    position.writeBigUInt64BE(BigInt(at))
    sum.update(position).update(content)
  }
  let at = 0
  for (const { type, body } of children(head)) {
    const end = body.byteOffset - head.byteOffset + body.length
    const isManifest = type === 'uuid' && MANIFEST_BOX.equals(body.subarray(0, 16))
    if (!isManifest && !LEFT_OUT.includes(type)) add(at, head.subarray(at, end))
    at = end
  }
  add(at, data)
  return sum.digest()
}
