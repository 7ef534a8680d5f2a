import { hash, randomBytes, randomUUID } from 'node:crypto'
import { box } from '../mp4Boxes.ts'
import { encodeCbor } from './cbor.ts'
import { type Assertion, GENERATOR } from './manifest.ts'

/** Completes the type of a superbox, which begins with four characters. */
const TYPE = Buffer.from('00110010800000aa00389b71', 'hex')
/** Flags of a superbox that has a label and can be referred to, and of one that has a private box as well. */
const [LABELLED, SALTED] = [0x03, 0x13]
const SALT_BYTES = 16

/**
 * Writes a C2PA manifest store (C2PA 2.1, chapters 10 and 11) with one manifest, which has no ingredients. Its length depends on
 * those of the assertions and of the signature.
 * @param sign returns the COSE_Sign1 structure for a claim
 */
export function writeStore(assertions: readonly Assertion[], sign: (claim: Buffer) => Buffer): Buffer {
  const name = `urn:c2pa:${randomUUID()}`
  const stored = assertions.map(assertionBox)
  const claim = encodeCbor({
    instanceID: `xmp:iid:${randomUUID()}`,
    claim_generator_info: GENERATOR,
    signature: `self#jumbf=/c2pa/${name}/c2pa.signature`,
    created_assertions: stored.map((assertion, n) => ({
      url: `self#jumbf=c2pa.assertions/${assertions[n]?.label}`,
      // Without the header of the box.
      hash: hash('sha256', assertion.subarray(8), 'buffer'),
    })),
    alg: 'sha256',
  })
  const manifest = [
    superbox('c2as', 'c2pa.assertions', ...stored),
    superbox('c2cl', 'c2pa.claim.v2', box('cbor', claim)),
    superbox('c2cs', 'c2pa.signature', box('cbor', sign(claim))),
  ]
  return superbox('c2pa', 'c2pa', superbox('c2ma', name, ...manifest))
}

/** Wraps an assertion. The salt keeps the content of a redacted one from being guessed by its hash. */
function assertionBox({ label, data }: Assertion): Buffer {
  const salt = box('c2sh', randomBytes(SALT_BYTES))
  return box('jumb', description('cbor', label, SALTED, salt), box('cbor', encodeCbor(data)))
}

const superbox = (type: string, label: string, ...content: Buffer[]) =>
  box('jumb', description(type, label, LABELLED), ...content)

/** Describes a superbox (ISO/IEC 19566-5). */
const description = (type: string, label: string, flags: number, ...more: Buffer[]) =>
  box('jumd', Buffer.from(type), TYPE, Buffer.from([flags]), Buffer.from(`${label}\0`), ...more)
