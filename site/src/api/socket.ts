/** Ping, timeout and retry limits of `liveSocket`. */
export const PING_INTERVAL_MS = 30_000
export const PONG_TIMEOUT_MS = 90_000
export const RETRY_AFTER_MS = 3_000
export const MAX_RETRIES = 10
export const CONNECT_TIMEOUT_MS = 10_000
/** Close code of a restarting server. Clients then reconnect after a random delay of up to `RESTART_JITTER_MS`. */
export const SERVICE_RESTART = 1012
export const RESTART_JITTER_MS = 500

export interface LiveSocketPorts {
  /** Fetches a single-use token and returns the socket's URL. */
  readonly address: () => Promise<string>
  readonly open: (address: string) => WebSocket
  readonly onMessage: (message: unknown) => void
  readonly onChange: (connected: boolean) => void
  /** Called when the server refuses the token or the retries are used up. */
  readonly onGiveUp: (why: 'refused' | 'lost') => void
  /** Close code of a refused token. */
  readonly refusedCode: number
}

const isPong = (message: unknown) => (message as { type?: unknown } | null)?.type === 'pong'

/** Closes a socket without waiting for the server. */
function abandon(socket: WebSocket): void {
  socket.onopen = socket.onmessage = socket.onclose = null
  socket.close()
}

/** Opens a socket and reconnects it when it is lost. Returns a function that closes it permanently. */
export function liveSocket(ports: LiveSocketPorts): () => void {
  let socket: WebSocket | undefined
  let connected = false
  let retries = 0
  let attempt = 0
  /** The connect timeout, then the pong timeout. */
  let timeout: ReturnType<typeof setTimeout> | undefined
  let pings: ReturnType<typeof setInterval> | undefined
  let retry: ReturnType<typeof setTimeout> | undefined

  const disconnect = () => {
    attempt += 1
    clearTimeout(timeout)
    clearInterval(pings)
    if (socket) abandon(socket)
    socket = undefined
    if (connected) ports.onChange(false)
    connected = false
  }

  const handleLoss = (code?: number) => {
    disconnect()
    if (code === ports.refusedCode) return ports.onGiveUp('refused')
    if (retries >= MAX_RETRIES) return ports.onGiveUp('lost')
    const restarting = code === SERVICE_RESTART && retries === 0
    retries += 1
    retry = setTimeout(() => void connect(), restarting ? Math.random() * RESTART_JITTER_MS : RETRY_AFTER_MS)
  }

  const resetTimeout = (ms: number) => {
    clearTimeout(timeout)
    timeout = setTimeout(handleLoss, ms)
  }

  const connect = async () => {
    const mine = ++attempt
    resetTimeout(CONNECT_TIMEOUT_MS)
    const address = await ports.address().catch(() => undefined)
    if (mine !== attempt) return
    if (!address) return handleLoss()
    socket = ports.open(address)
    socket.onclose = (event) => handleLoss(event.code)
    const ping = () => socket?.send('{"type":"ping"}')
    socket.onopen = () => {
      connected = true
      resetTimeout(PONG_TIMEOUT_MS)
      // The pong shows that the server serves this socket, so that its next loss is a first one.
      ping()
      pings = setInterval(ping, PING_INTERVAL_MS)
      ports.onChange(true)
    }
    socket.onmessage = (event) => {
      // Reset the retries on a message, not on open: a server that opens and closes immediately counts as a failure.
      retries = 0
      const message: unknown = JSON.parse(String(event.data))
      if (isPong(message)) resetTimeout(PONG_TIMEOUT_MS)
      ports.onMessage(message)
    }
  }

  void connect()
  return () => {
    clearTimeout(retry)
    disconnect()
  }
}
