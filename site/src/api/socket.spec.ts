import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import {
  CONNECT_TIMEOUT_MS,
  type LiveSocketPorts,
  liveSocket,
  MAX_RETRIES,
  PING_INTERVAL_MS,
  PONG_TIMEOUT_MS,
  RESTART_JITTER_MS,
  RETRY_AFTER_MS,
  SERVICE_RESTART,
} from './socket.ts'

class FakeSocket {
  readyState = 0
  sent: string[] = []
  onopen: (() => void) | null = null
  onmessage: ((event: { data: string }) => void) | null = null
  onclose: ((event: { code: number }) => void) | null = null
  send(text: string) {
    this.sent.push(text)
  }
  open() {
    this.readyState = 1
    this.onopen?.()
  }
  close(code = 1000) {
    this.readyState = 3
    this.onclose?.({ code })
  }
}

function world() {
  const sockets: FakeSocket[] = []
  const open = () => {
    const socket = new FakeSocket()
    sockets.push(socket)
    return socket as unknown as WebSocket
  }
  const ports = {
    address: vi.fn(async () => 'ws://kinora.test'),
    open,
    onMessage: vi.fn(),
    onChange: vi.fn(),
    onGiveUp: vi.fn(),
    refusedCode: 4001,
  } satisfies LiveSocketPorts
  return { sockets, ports, end: liveSocket(ports) }
}

describe('liveSocket', () => {
  beforeEach(() => vi.useFakeTimers())
  afterEach(() => vi.useRealTimers())

  it('sends pings, and reconnects after 90 seconds without a pong', async () => {
    const { sockets, ports, end } = world()
    await vi.advanceTimersByTimeAsync(0)
    sockets[0]!.open()
    await vi.advanceTimersByTimeAsync(PING_INTERVAL_MS)
    expect(sockets[0]!.sent).toEqual(Array(2).fill('{"type":"ping"}'))
    await vi.advanceTimersByTimeAsync(PONG_TIMEOUT_MS - PING_INTERVAL_MS + RETRY_AFTER_MS)
    expect(sockets).toHaveLength(2)
    expect(ports.onChange.mock.calls).toEqual([[true], [false]])
    end()
  })

  it('stays connected while pongs arrive', async () => {
    const { sockets, end } = world()
    await vi.advanceTimersByTimeAsync(0)
    sockets[0]!.open()
    for (let beat = 0; beat < 6; beat += 1) {
      await vi.advanceTimersByTimeAsync(PING_INTERVAL_MS)
      sockets[0]!.onmessage?.({ data: '{"type":"pong"}' })
    }
    expect(sockets).toHaveLength(1)
    end()
  })

  it('reconnects without a pong even if other messages arrive', async () => {
    const { sockets, end } = world()
    await vi.advanceTimersByTimeAsync(0)
    sockets[0]!.open()
    for (let beat = 0; beat < PONG_TIMEOUT_MS / PING_INTERVAL_MS; beat += 1) {
      sockets[0]!.onmessage?.({ data: '{"type":"credits_update"}' })
      await vi.advanceTimersByTimeAsync(PING_INTERVAL_MS)
    }
    await vi.advanceTimersByTimeAsync(RETRY_AFTER_MS)
    expect(sockets).toHaveLength(2)
    end()
  })

  it('times out after 10 seconds without a token or a connection', async () => {
    const { sockets, ports, end } = world()
    await vi.advanceTimersByTimeAsync(CONNECT_TIMEOUT_MS - 1)
    expect(sockets).toHaveLength(1)
    ports.address.mockImplementation(() => new Promise(() => {}))
    await vi.advanceTimersByTimeAsync(1 + RETRY_AFTER_MS)
    expect(ports.address).toHaveBeenCalledTimes(2)
    await vi.advanceTimersByTimeAsync(CONNECT_TIMEOUT_MS + RETRY_AFTER_MS)
    expect([ports.address.mock.calls.length, sockets.length]).toEqual([3, 1])
    end()
  })

  it('gives up on a server that opens and closes without a message', async () => {
    const { sockets, ports } = world()
    for (let attempt = 0; attempt <= MAX_RETRIES; attempt += 1) {
      await vi.advanceTimersByTimeAsync(RETRY_AFTER_MS)
      sockets.at(-1)!.open()
      sockets.at(-1)!.close(1006)
    }
    expect(ports.onGiveUp).toHaveBeenCalledExactlyOnceWith('lost')
  })

  it('resets the retries after a message', async () => {
    const { sockets, ports, end } = world()
    for (let attempt = 0; attempt <= 2 * MAX_RETRIES; attempt += 1) {
      await vi.advanceTimersByTimeAsync(RETRY_AFTER_MS)
      sockets.at(-1)!.open()
      sockets.at(-1)!.onmessage?.({ data: '{"type":"pong"}' })
      sockets.at(-1)!.close(1006)
    }
    expect(ports.onGiveUp).not.toHaveBeenCalled()
    end()
  })

  it('reconnects immediately after a server restart, and after the retry delay otherwise', async () => {
    const { sockets, end } = world()
    await vi.advanceTimersByTimeAsync(0)
    sockets[0]!.open()
    sockets[0]!.close(SERVICE_RESTART)
    await vi.advanceTimersByTimeAsync(RESTART_JITTER_MS)
    expect(sockets).toHaveLength(2)
    sockets[1]!.close(SERVICE_RESTART)
    await vi.advanceTimersByTimeAsync(RESTART_JITTER_MS)
    expect(sockets).toHaveLength(2)
    await vi.advanceTimersByTimeAsync(RETRY_AFTER_MS)
    expect(sockets).toHaveLength(3)
    end()
  })

  it('reconnects immediately after a second restart, if the server answered in between', async () => {
    const { sockets, end } = world()
    await vi.advanceTimersByTimeAsync(0)
    for (const restart of [0, 1]) {
      const socket = sockets[restart]!
      socket.open()
      await vi.advanceTimersByTimeAsync(1_000)
      if (socket.sent.length > 0) socket.onmessage?.({ data: '{"type":"pong"}' })
      socket.close(SERVICE_RESTART)
      await vi.advanceTimersByTimeAsync(RESTART_JITTER_MS)
      expect(sockets).toHaveLength(restart + 2)
    }
    end()
  })

  it('gives up after the maximum number of retries', async () => {
    const { sockets, ports, end } = world()
    for (let attempt = 0; attempt <= MAX_RETRIES; attempt += 1) {
      await vi.advanceTimersByTimeAsync(RETRY_AFTER_MS)
      sockets.at(-1)!.close(1006)
    }
    expect(sockets).toHaveLength(MAX_RETRIES + 1)
    expect(ports.onGiveUp).toHaveBeenCalledExactlyOnceWith('lost')
    end()
  })

  it('does not retry a refused token', async () => {
    const { sockets, ports } = world()
    await vi.advanceTimersByTimeAsync(0)
    sockets[0]!.close(4001)
    await vi.advanceTimersByTimeAsync(RETRY_AFTER_MS * 3)
    expect(sockets).toHaveLength(1)
    expect(ports.onGiveUp).toHaveBeenCalledExactlyOnceWith('refused')
  })
})
