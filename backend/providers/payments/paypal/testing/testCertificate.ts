import { generateKeyPairSync, type KeyObject, sign } from 'node:crypto'

/** Encodes a DER element. The helpers below build the parts of X.509 (RFC 5280) that tests need. */
const der = (tag: number, ...parts: Buffer[]): Buffer => {
  const body = Buffer.concat(parts)
  const size = body.length < 128 ? [body.length] : [0x82, body.length >> 8, body.length & 255]
  return Buffer.concat([Buffer.from([tag, ...size]), body])
}
const sequence = (...parts: Buffer[]) => der(0x30, ...parts)
const oid = (hex: string) => der(0x06, Buffer.from(hex, 'hex'))
const TRUE = der(0x01, Buffer.from([255]))
const SHA256_WITH_RSA = sequence(oid('2a864886f70d01010b'), der(0x05))
const name = (common: string) => sequence(der(0x31, sequence(oid('550403'), der(0x0c, Buffer.from(common)))))
const time = (at: number) =>
  der(0x18, Buffer.from(`${new Date(at).toISOString().replace(/[-:T]/g, '').slice(0, 14)}Z`, 'latin1'))
/** Basic constraints extension that allows a certificate to sign others. */
const AUTHORITY = der(0xa3, sequence(sequence(oid('551d13'), TRUE, der(0x04, sequence(TRUE)))))

export interface TestCertificate {
  readonly name: string
  readonly pem: string
  readonly privateKey: KeyObject
}

let serial = 0

/** Creates a certificate with its own key, self-signed without `issuer`. `from` and `to` are epoch milliseconds. */
export function testCertificate(
  common: string,
  { issuer, authority = false, from, to }: { issuer?: TestCertificate; authority?: boolean; from: number; to: number },
): TestCertificate {
  const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
  const body = sequence(
    der(0xa0, der(0x02, Buffer.from([2]))),
    der(0x02, Buffer.from([++serial])),
    SHA256_WITH_RSA,
    name(issuer?.name ?? common),
    sequence(time(from), time(to)),
    name(common),
    publicKey.export({ type: 'spki', format: 'der' }),
    ...(authority ? [AUTHORITY] : []),
  )
  const signature = sign('RSA-SHA256', body, issuer?.privateKey ?? privateKey)
  const certificate = sequence(body, SHA256_WITH_RSA, der(0x03, Buffer.from([0]), signature))
  const lines = certificate.toString('base64').match(/.{1,64}/g)!
  return {
    name: common,
    privateKey,
    pem: `-----BEGIN CERTIFICATE-----\n${lines.join('\n')}\n-----END CERTIFICATE-----\n`,
  }
}
