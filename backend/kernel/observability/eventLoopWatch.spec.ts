import type { Context } from 'koa'
import { describe, expect, it } from 'vitest'
import { watchEventLoop } from './eventLoopWatch.ts'

const request = (route: string) => ({ method: 'POST', _matchedRoute: route }) as unknown as Context
const block = (ms: number) => {
  for (const end = performance.now() + ms; performance.now() < end; );
}
const turn = () => new Promise((resolve) => setTimeout(resolve, 60))

describe('watching the event loop', () => {
  it('names the route of a request that blocks it, and no earlier request', async () => {
    const lines: unknown[] = []
    const { middleware, stop } = watchEventLoop({ warn: (line: unknown) => lines.push(line) } as never)
    await middleware(request('/quick'), async () => {})
    await turn()
    await turn()
    await middleware(request('/slow'), async () => block(300))
    await turn()
    stop()
    expect(lines).toEqual([{ ms: expect.any(Number), routes: ['POST /slow'] }])
    expect((lines[0] as { ms: number }).ms).toBeGreaterThan(200)
  })
})
