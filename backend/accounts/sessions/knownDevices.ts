import { createHmac, randomUUID, timingSafeEqual } from 'node:crypto'

/**
 * Devices that have signed in to an account before. They prove it by a cookie, `<device>.<mac>`, and their attempts are
 * counted apart: whoever tries passwords from elsewhere slows down strangers, never the owner. It is no way in.
 */
export function createKnownDevices(key: Buffer) {
  const macOf = (device: string, identity: string) =>
    createHmac('sha256', key).update(`${device}.${identity}`).digest('base64url')

  return {
    issue(identity: string): string {
      const device = randomUUID()
      return `${device}.${macOf(device, identity)}`
    },

    /** The device's id, if the cookie was issued for this mailbox. */
    recognise(cookie: string | undefined, identity: string): string | undefined {
      const [, device, mac] = /^([0-9a-f-]{36})\.([\w-]{43})$/.exec(cookie ?? '') ?? []
      if (!device || !mac) return undefined
      return timingSafeEqual(Buffer.from(mac), Buffer.from(macOf(device, identity))) ? device : undefined
    },
  }
}

export type KnownDevices = ReturnType<typeof createKnownDevices>
