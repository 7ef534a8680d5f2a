/** A WebSocket that keeps itself alive: pings, notices silence, and comes back a bounded number of times. */
export const PING_EVERY_MS = 30_000
export const SILENCE_MS = 90_000
export const RETRY_AFTER_MS = 3_000
export const MAX_RETRIES = 10
export const CONNECT_TIMEOUT_MS = 10_000
/** The server asks to come back: another one is there already. Not all come in the same moment. */
export const COME_BACK = 1012
export const COME_BACK_WITHIN_MS = 500

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

const isPong = (message: unknown) => (message as { type?: unknown } | null)?.type === 'pong'

/** Connects, and answers how to end it for good. */
export function liveSocket(ports: LiveSocketPorts): () => void {
  let socket: WebSocket | undefined
  let connected = false
  let retries = 0
  let attempt = 0
  /** Ends the attempt when it takes too long to connect, and the connection when no pong comes. */
  let patience: ReturnType<typeof setTimeout> | undefined
  let beat: ReturnType<typeof setInterval> | undefined
  let retry: ReturnType<typeof setTimeout> | undefined

  /** Lets go of what there is, without waiting for the other side to agree. */
  const drop = () => {
    attempt += 1
    clearTimeout(patience)
    clearInterval(beat)
    const old = socket
    socket = undefined
    if (old) {
      old.onopen = old.onmessage = old.onclose = null
      old.close()
    }
    if (connected) ports.onChange(false)
    connected = false
  }

  const lose = (code?: number) => {
    drop()
    if (code === ports.refusedCode) return ports.onGiveUp('refused')
    if (retries >= MAX_RETRIES) return ports.onGiveUp('lost')
    const soon = code === COME_BACK && retries === 0
    retries += 1
    retry = setTimeout(() => void connect(), soon ? Math.random() * COME_BACK_WITHIN_MS : RETRY_AFTER_MS)
  }

  const wait = (ms: number) => {
    clearTimeout(patience)
    patience = setTimeout(lose, ms)
  }

  const connect = async () => {
    const mine = ++attempt
    wait(CONNECT_TIMEOUT_MS)
    const address = await ports.address().catch(() => undefined)
    if (mine !== attempt) return
    if (!address) return lose()
    socket = ports.open(address)
    socket.onclose = (event) => lose(event.code)
    socket.onopen = () => {
      connected = true
      wait(SILENCE_MS)
      beat = setInterval(() => socket?.send(JSON.stringify({ type: 'ping' })), PING_EVERY_MS)
      ports.onChange(true)
    }
    socket.onmessage = (event) => {
      // Only what the server says proves that it can be reached: one that opens and closes at once counts as a failure.
      retries = 0
      const message: unknown = JSON.parse(String(event.data))
      if (isPong(message)) wait(SILENCE_MS)
      ports.onMessage(message)
    }
  }

  void connect()
  return () => {
    clearTimeout(retry)
    drop()
  }
}
