/** A WebSocket that keeps itself alive: pings, notices silence, and comes back a bounded number of times. */
export const PING_EVERY_MS = 30_000
export const SILENCE_MS = 90_000
export const RETRY_AFTER_MS = 3_000
export const MAX_RETRIES = 10
export const CONNECT_TIMEOUT_MS = 10_000

export interface LiveSocketPorts {
  /** Fetches a single-use token and answers the socket's address. */
  readonly address: () => Promise<string>
  readonly open: (address: string) => WebSocket
  readonly onMessage: (message: unknown) => void
  readonly onChange: (connected: boolean) => void
  /** The server refused the token, or the retries are used up. */
  readonly onGiveUp: (why: 'refused' | 'lost') => void
  /** The close code by which the server refuses a token. */
  readonly refusedCode: number
}

/** Connects, and answers how to end it for good. */
export function liveSocket(ports: LiveSocketPorts): () => void {
  let socket: WebSocket | undefined
  let retries = 0
  let heardAt = 0
  let ended = false
  let retryTimer: ReturnType<typeof setTimeout> | undefined

  const later = () => {
    if (ended) return
    if (retries >= MAX_RETRIES) return ports.onGiveUp('lost')
    retries += 1
    retryTimer = setTimeout(() => void connect(), RETRY_AFTER_MS)
  }

  const connect = async () => {
    const address = await ports.address().catch(() => undefined)
    if (ended) return
    if (!address) return later()
    const mine = ports.open(address)
    socket = mine
    const slow = setTimeout(() => mine.close(), CONNECT_TIMEOUT_MS)
    mine.onopen = () => {
      clearTimeout(slow)
      retries = 0
      heardAt = Date.now()
      ports.onChange(true)
    }
    mine.onmessage = (event) => {
      heardAt = Date.now()
      ports.onMessage(JSON.parse(String(event.data)))
    }
    mine.onclose = (event) => {
      clearTimeout(slow)
      if (socket !== mine) return
      socket = undefined
      ports.onChange(false)
      if (event.code === ports.refusedCode) ports.onGiveUp('refused')
      else later()
    }
  }

  const beat = setInterval(() => {
    if (socket?.readyState !== 1) return
    if (Date.now() - heardAt >= SILENCE_MS) return socket.close()
    socket.send(JSON.stringify({ type: 'ping' }))
  }, PING_EVERY_MS)

  void connect()
  return () => {
    ended = true
    clearInterval(beat)
    clearTimeout(retryTimer)
    const open = socket
    socket = undefined
    open?.close()
  }
}
