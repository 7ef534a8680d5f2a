import { subscribe } from 'node:diagnostics_channel'
import type { IncomingMessage } from 'node:http'
import { PerformanceObserver } from 'node:perf_hooks'

const EVERY_MS = 5
const KEPT = 20

/** A long turn of the event loop: CPU time of the main thread in ms, and the requests that were in progress. */
export interface Turn {
  readonly ms: number
  /** Part of `ms` in which garbage was collected. */
  readonly gcMs: number
  readonly requests: readonly string[]
}

/**
 * Watches the event loop of this process. It measures CPU time, not wall-clock time, so that other programs of the
 * machine do not count.
 */
export function watchTurns() {
  const inProgress = new Map<unknown, string>()
  let ended: string[] = []
  let longest: { ms: number; requests: string[]; start: number; end: number }[] = []
  const nameOf = ({ method, url = '' }: IncomingMessage) => `${method} ${url.slice(0, 60)}`
  subscribe('http.server.request.start', (message) => {
    const { request } = message as { request: IncomingMessage }
    inProgress.set(request, nameOf(request))
  })
  subscribe('http.server.response.finish', (message) => {
    const { request } = message as { request: IncomingMessage }
    inProgress.delete(request)
    ended.push(nameOf(request))
  })
  let start = performance.now()
  let before = process.threadCpuUsage()
  setInterval(() => {
    const { user, system } = process.threadCpuUsage(before)
    const end = performance.now()
    const requests = [...new Set([...ended, ...inProgress.values()])]
    const turn = { ms: (user + system) / 1_000, requests, start, end }
    before = process.threadCpuUsage()
    start = end
    ended = []
    if (requests.length > 0 && (longest.length < KEPT || turn.ms > longest.at(-1)!.ms))
      longest = [...longest, turn].sort((a, b) => b.ms - a.ms).slice(0, KEPT)
  }, EVERY_MS).unref()

  const collections: PerformanceEntry[] = []
  // Entries arrive after the collection, perhaps in a later turn.
  new PerformanceObserver((list) => collections.push(...list.getEntries())).observe({ entryTypes: ['gc'] })

  const gcMsBetween = (start: number, end: number) =>
    collections
      .filter(({ startTime }) => startTime >= start && startTime < end)
      .reduce((sum, { duration }) => sum + duration, 0)

  return {
    /** Returns the longest turns since the last call, the longest first. */
    take(): readonly Turn[] {
      const taken = longest.map(({ ms, requests, start, end }) => ({ ms, gcMs: gcMsBetween(start, end), requests }))
      longest = []
      collections.length = 0
      return taken
    },
  }
}
