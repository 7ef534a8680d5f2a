import { Secret, TOTP } from 'otpauth'
import { encode } from 'uqr'

const PERIOD_SECONDS = 30
/** Accepted clock difference in periods, in either direction. */
const WINDOW = 1
/** 160 bits, as RFC 4226 recommends. */
const SECRET_BYTES = 20

const totpOf = (secret: string, label = '') =>
  new TOTP({ issuer: 'Kinora', label, secret: Secret.fromBase32(secret), period: PERIOD_SECONDS })

/** Returns a new secret for an authenticator app, in base32. */
export const newSecret = (): string => new Secret({ size: SECRET_BYTES }).base32

/** Returns the `otpauth://` address of a secret, and its QR code as an SVG path. */
export function setupOf(secret: string, label: string) {
  const uri = totpOf(secret, label).toString()
  const { size, data } = encode(uri, { ecc: 'M', border: 0 })
  const path = data.flatMap((row, y) => row.flatMap((dark, x) => (dark ? [`M${x} ${y}h1v1h-1z`] : []))).join('')
  return { secret, uri, qr: { size, path } }
}

const SIX_DIGITS = /^[0-9]{6}$/

/** Returns the time step of a six-digit code, which is accepted once; undefined if the code is wrong. */
export function stepOf(secret: string, code: string, now: number): number | undefined {
  // otpauth throws if a code of six characters has more bytes.
  if (!SIX_DIGITS.test(code)) return undefined
  const delta = totpOf(secret).validate({ token: code, window: WINDOW, timestamp: now })
  return delta === null ? undefined : Math.floor(now / 1000 / PERIOD_SECONDS) + delta
}
