import { eventually } from '#backend/testing/eventually.ts'
import { liveSocket } from '../../../site/src/api/socket.ts'
import { SOCKET_UNAUTHENTICATED } from '../../tasks/contract.ts'
import type { TestUser } from '../testUser.ts'

export interface LiveSockets {
  /** Milliseconds that sockets were disconnected, one for each loss that is over. */
  readonly outages: readonly number[]
  /** Waits until all sockets are connected. */
  connected(): Promise<void>
  close(): void
}

/** Opens WebSockets of users in turn, which reconnect as the site's do. */
export async function openLiveSockets(users: readonly TestUser[], count: number): Promise<LiveSockets> {
  const outages: number[] = []
  const sockets = Array.from({ length: count }, (_, n) => openSocket(users[n % users.length]!, outages))
  const connected = () =>
    eventually(() => {
      const lost = sockets.filter((socket) => !socket.connected).length
      if (lost > 0) throw new Error(`${lost} of ${count} sockets are not connected`)
    })
  const close = () => {
    for (const { disconnect } of sockets) disconnect()
  }
  await connected().catch((error) => {
    close()
    throw error
  })
  return { outages, connected, close }
}

function openSocket(user: TestUser, outages: number[]) {
  const socket = { connected: false, disconnect: () => {} }
  let lostAt: number | undefined
  socket.disconnect = liveSocket({
    address: () => user.socketAddress(),
    open: (address) => new WebSocket(address),
    onMessage: () => {},
    onChange: (now) => {
      socket.connected = now
      if (now && lostAt) outages.push(performance.now() - lostAt)
      lostAt = performance.now()
    },
    onGiveUp: () => {},
    refusedCode: SOCKET_UNAUTHENTICATED,
  })
  return socket
}
