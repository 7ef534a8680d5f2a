import { isIP } from 'node:net'
import { Rejection } from '../eventsourcing/pure/decider.ts'
import { isLoopback } from '../isLoopback.ts'

/** Rejects the origin of a page that is not this site's. @throws Rejection cross_site */
export type RefuseForeign = (origin: string | undefined, host: string | undefined) => void

/**
 * Creates the check of the `Origin` header, which browsers send with unsafe methods and for sockets. Outside production a
 * page may also have been opened at an IP address or a name of this machine, which no other site can make its own.
 * @param publicUrl the address of this site
 */
export const refuseForeign =
  (publicUrl: () => string, production: boolean): RefuseForeign =>
  (origin, host) => {
    const url = new URL(publicUrl())
    if (!origin || origin === url.origin) return
    const page = URL.parse(origin)
    const isOpenedHere = page !== null && page.host === host && isUnforgeable(page.hostname)
    if (!production && isOpenedHere) return
    throw new Rejection(
      'cross_site',
      page?.host === host
        ? `This page was opened at ${origin}. Open ${url.origin} instead, or set PUBLIC_URL to ${origin}.`
        : 'This request came from another site.',
    )
  }

const isUnforgeable = (hostname: string) => isLoopback(hostname) || isIP(hostname.replace(/^\[|\]$/g, '')) > 0
