import { constants, type KeyObject, type SignKeyObjectInput, sign } from 'node:crypto'
import { type Encodable, encodeCbor } from './cbor.ts'
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
export function coseSign1(claim: Buffer, { chain, key }: Credential, size: number): Buffer {
  const { id, hash, options } = algorithmOf(key)
  const protectedHeader = encodeCbor(
    new Map<number, Encodable>([
      [1, id],
      [33, chain.length === 1 ? chain[0]! : chain],
    ]),
  )
  const toSign = encodeCbor(['Signature1', protectedHeader, Buffer.alloc(0), claim])
  const signature = sign(hash, toSign, { key, ...options })
  const structure = (padding: number) =>
    Buffer.concat([TAG, encodeCbor([protectedHeader, { pad: Buffer.alloc(padding) }, null, signature])])
  // The length of the padding takes one to five bytes itself.
  let padding = size - structure(0).length
  while (structure(padding).length > size) padding--
  return structure(padding)
}

const TAG = Buffer.from([0xd2])
