import 'reflect-metadata'
import { KeyObject } from 'node:crypto'
import {
  AuthorityKeyIdentifierExtension,
  BasicConstraintsExtension,
  ExtendedKeyUsage,
  ExtendedKeyUsageExtension,
  KeyUsageFlags,
  KeyUsagesExtension,
  SubjectKeyIdentifierExtension,
  type X509Certificate,
  X509CertificateGenerator,
} from '@peculiar/x509'

const P256 = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' } as const
/** Without a trusted time stamp, a signature is valid for as long as its certificate. */
const VALID_YEARS = 30

/**
 * Issues a certificate for content credentials from a new root. Returns the certificate and the root, and the
 * certificate's private key, as PEM. The root's private key is discarded, so the root can never vouch for anything else.
 */
export const issueCredential = async (now: number) =>
  certify(await crypto.subtle.generateKey(P256, true, ['sign', 'verify']), now)

/** Issues a certificate for the given keys, as {@link issueCredential} does. */
export async function certify(keys: CryptoKeyPair, now: number): Promise<{ certificates: string; key: string }> {
  const notBefore = new Date(now - 24 * 3600_000)
  const notAfter = new Date(now)
  notAfter.setUTCFullYear(notAfter.getUTCFullYear() + VALID_YEARS)
  const common = { notBefore, notAfter, signingAlgorithm: P256 }
  const rootKeys = await crypto.subtle.generateKey(P256, false, ['sign', 'verify'])
  const root = await X509CertificateGenerator.createSelfSigned({
    ...common,
    name: 'CN=Kinora content credentials root, O=Kinora',
    keys: rootKeys,
    extensions: [
      new BasicConstraintsExtension(true, 0, true),
      new KeyUsagesExtension(KeyUsageFlags.keyCertSign | KeyUsageFlags.cRLSign, true),
      await SubjectKeyIdentifierExtension.create(rootKeys.publicKey),
    ],
  })
  const certificate = await X509CertificateGenerator.create({
    ...common,
    subject: 'CN=Kinora content credentials, O=Kinora',
    issuer: root.subject,
    publicKey: keys.publicKey,
    signingKey: rootKeys.privateKey,
    // The extensions that C2PA requires of a signer; see its chapter on the certificate profile.
    extensions: [
      new BasicConstraintsExtension(false, undefined, true),
      new KeyUsagesExtension(KeyUsageFlags.digitalSignature, true),
      new ExtendedKeyUsageExtension([ExtendedKeyUsage.emailProtection], true),
      await SubjectKeyIdentifierExtension.create(keys.publicKey),
      await AuthorityKeyIdentifierExtension.create(rootKeys.publicKey),
    ],
  })
  const pem = (one: X509Certificate) => one.toString('pem')
  return {
    certificates: `${pem(certificate)}\n${pem(root)}\n`,
    key: String(KeyObject.from(keys.privateKey).export({ type: 'pkcs8', format: 'pem' })),
  }
}
