import { createHmac, randomUUID, timingSafeEqual } from 'node:crypto'

/**
 * Recognises devices that have signed in to an account before, by a cookie `<device>.<mac>`. Their sign-in attempts have
 * a limit of their own, so an attacker who exhausts the account's limit does not lock out the owner. The cookie does not
 * authenticate.
 */
export function createKnownDevices(key: Buffer) {
  const macOf = (device: string, identity: string) =>
    createHmac('sha256', key).update(`${device}.${identity}`).digest('base64url')

  return {
    issue(identity: string): string {
      const device = randomUUID()
      return `${device}.${macOf(device, identity)}`
    },

    /** Returns the device's id if the cookie was issued for this mailbox. */
    recognise(cookie: string | undefined, identity: string): string | undefined {
      const [, device, mac] = /^([0-9a-f-]{36})\.([\w-]{43})$/.exec(cookie ?? '') ?? []
      if (!device || !mac) return undefined
      return timingSafeEqual(Buffer.from(mac), Buffer.from(macOf(device, identity))) ? device : undefined
    },
  }
}

export type KnownDevices = ReturnType<typeof createKnownDevices>
