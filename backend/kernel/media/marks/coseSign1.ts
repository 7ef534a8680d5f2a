import { constants, type KeyObject, type SignKeyObjectInput, sign } from 'node:crypto'
import { type Credential, InvalidCredential } from './credential.ts'

/** A signature algorithm that C2PA allows: its name there, and its COSE identifier (RFC 9053 and 8812). */
type Algorithm = Readonly<{ name: string; id: number; hash: string | null; options?: Omit<SignKeyObjectInput, 'key'> }>

const P1363 = { dsaEncoding: 'ieee-p1363' } as const
const PSS = { padding: constants.RSA_PKCS1_PSS_PADDING, saltLength: constants.RSA_PSS_SALTLEN_DIGEST } as const
const ALGORITHMS: Readonly<Record<string, Algorithm>> = {
  prime256v1: { name: 'es256', id: -7, hash: 'sha256', options: P1363 },
  secp384r1: { name: 'es384', id: -35, hash: 'sha384', options: P1363 },
  secp521r1: { name: 'es512', id: -36, hash: 'sha512', options: P1363 },
  rsa: { name: 'ps256', id: -37, hash: 'sha256', options: PSS },
  ed25519: { name: 'ed25519', id: -8, hash: null },
}

/** Returns the algorithm that a private key signs with. @throws InvalidCredential C2PA allows none for this key */
export function algorithmOf(key: KeyObject): Algorithm {
  const type = key.asymmetricKeyDetails?.namedCurve ?? key.asymmetricKeyType ?? ''
  const algorithm = ALGORITHMS[type]
  if (!algorithm) throw new InvalidCredential(`C2PA does not allow ${type} keys`)
  return algorithm
}

/** Length that {@link coseSign1} needs for a credential, with room for its padding. */
export const reservedBytes = ({ chain }: Credential): number =>
  chain.reduce((sum, certificate) => sum + certificate.length + 8, 1_024)

/**
 * Signs a C2PA claim. Returns a tagged COSE_Sign1 structure (RFC 9052) with a detached payload and the certificates in
 * its protected header, padded to `size` bytes.
 * @example const signature = coseSign1(claim, credential, reservedBytes(credential))
 */
export function coseSign1(claim: Uint8Array, { chain, key }: Credential, size: number): Buffer {
  const { id, hash, options } = algorithmOf(key)
  const protectedHeader = map([
    [integer(1), integer(id)],
    [integer(33), chain.length === 1 ? bytes(chain[0]!) : array(chain.map(bytes))],
  ])
  const toSign = array([text('Signature1'), bytes(protectedHeader), bytes(Buffer.alloc(0)), bytes(Buffer.from(claim))])
  const signature = sign(hash, toSign, { key, ...options })
  const structure = (padding: number) => {
    const unprotectedHeader = map([[text('pad'), bytes(Buffer.alloc(padding))]])
    return Buffer.concat([TAG, array([bytes(protectedHeader), unprotectedHeader, NULL, bytes(signature)])])
  }
  // The length of the padding takes one to five bytes itself.
  let padding = size - structure(0).length
  while (structure(padding).length > size) padding--
  return structure(padding)
}

const TAG = Buffer.from([0xd2])
const NULL = Buffer.from([0xf6])

/** Encodes the first bytes of a CBOR item (RFC 8949): its major type, and a length or a value below 2^32. */
function head(major: number, value: number): Buffer {
  const type = major << 5
  if (value < 24) return Buffer.from([type | value])
  if (value < 0x100) return Buffer.from([type | 24, value])
  if (value < 0x10000) return Buffer.from([type | 25, value >> 8, value & 255])
  const long = Buffer.from([type | 26, 0, 0, 0, 0])
  long.writeUInt32BE(value, 1)
  return long
}

const integer = (value: number) => (value < 0 ? head(1, -1 - value) : head(0, value))
const bytes = (value: Buffer) => Buffer.concat([head(2, value.length), value])
const text = (value: string) => Buffer.concat([head(3, Buffer.byteLength(value)), Buffer.from(value)])
const array = (items: readonly Buffer[]) => Buffer.concat([head(4, items.length), ...items])
const map = (entries: readonly (readonly [Buffer, Buffer])[]) =>
  Buffer.concat([head(5, entries.length), ...entries.flat()])
