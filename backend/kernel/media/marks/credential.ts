import type { KeyObject } from 'node:crypto'
import { createPrivateKey, X509Certificate } from 'node:crypto'

/** A certificate chain and its private key, which sign content credentials. */
export interface Credential {
  /** DER certificates. The signer's own comes first. */
  readonly chain: readonly Buffer[]
  readonly key: KeyObject
}

/** A credential cannot be used. */
export class InvalidCredential extends Error {
  override name = 'InvalidCredential'
}

const CERTIFICATE = /-----BEGIN CERTIFICATE-----[A-Za-z0-9+/=\s]*-----END CERTIFICATE-----/g

/** Parses PEM text. The first certificate must belong to the key. @throws InvalidCredential */
export function parseCredential(certificatesPem: string, keyPem: string): Credential {
  const certificates = readCertificates(certificatesPem)
  const key = readKey(keyPem)
  if (!certificates[0]!.checkPrivateKey(key)) throw new InvalidCredential('the key does not fit the first certificate')
  return { chain: certificates.map(({ raw }) => raw), key }
}

/** Returns the DER certificates of PEM text. @throws InvalidCredential */
export const certificateChain = (pem: string): Buffer[] => readCertificates(pem).map(({ raw }) => raw)

function readCertificates(pem: string): X509Certificate[] {
  const found = pem.match(CERTIFICATE) ?? []
  if (found.length === 0) throw new InvalidCredential('there is no certificate')
  try {
    return found.map((text) => new X509Certificate(text))
  } catch (cause) {
    throw new InvalidCredential('a certificate is damaged', { cause })
  }
}

function readKey(pem: string): KeyObject {
  try {
    return createPrivateKey(pem)
  } catch (cause) {
    throw new InvalidCredential('there is no private key without a passphrase', { cause })
  }
}
