import type { createOperatorAlerts } from './operatorAlerts.ts'

/** Browsers asked for sockets, and none arrived. */
export const SOCKETS_MISSING = 'sockets_missing'

/** A page tries eleven times. A single one may have been closed at the wrong moment. */
const ENOUGH = 12

/**
 * Notices a proxy in front of Kinora that does not pass sockets on: tokens for sockets expire, and no socket arrives. Raises an alert, and clears it when one
 * arrives.
 */
export function watchSockets(
  alerts: Pick<ReturnType<typeof createOperatorAlerts>, 'raise' | 'clear'>,
  onError: (error: unknown) => void,
) {
  let missing = 0
  return {
    /** Tokens have expired that nobody used. */
    expired(tokens: number): void {
      missing += tokens
      if (tokens === 0 || missing < ENOUGH) return
      const detail =
        `Browsers have asked for ${missing} sockets, and none has arrived. The proxy in front of Kinora does not pass WebSocket upgrades on, so ` +
        'pages ask every few seconds and show no progress. docs/operations/proxies.md has samples for nginx, HAProxy, Traefik and Caddy.'
      alerts.raise(SOCKETS_MISSING, detail).catch(onError)
    },
    arrived(): void {
      if (missing >= ENOUGH) alerts.clear(SOCKETS_MISSING).catch(onError)
      missing = 0
    },
  }
}
