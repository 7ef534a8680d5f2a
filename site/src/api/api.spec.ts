import { describe, expect, it, vi } from 'vitest'
import { login, me } from '#backend/accounts/contract.ts'
import { getTask, listTasks, socketToken } from '#backend/tasks/contract.ts'
import { addressOf, createClient } from './api.ts'

const json = (status: number, body: unknown) =>
  new Response(JSON.stringify(body), { status, headers: { 'content-type': 'application/json' } })

/** A server whose session has expired, and may be renewable. */
function expiredServer(renewable: boolean) {
  const calls: string[] = []
  let fresh = false
  const fetch = vi.fn<typeof globalThis.fetch>(async (address) => {
    const path = String(address).replace('/api/v1', '')
    calls.push(path)
    if (path === '/auth/refresh') {
      await new Promise((resolve) => setImmediate(resolve))
      fresh = renewable
      return json(renewable ? 200 : 401, {})
    }
    return fresh ? json(200, { token: 't' }) : json(401, { code: 'unauthenticated', detail: 'No session.' })
  })
  const sessionLost = vi.fn()
  return { calls, sessionLost, ...createClient({ fetch, sessionLost }) }
}

describe('a call', () => {
  it('renews the session once for concurrent calls', async () => {
    const server = expiredServer(true)
    await Promise.all([
      server.call(socketToken),
      server.call(socketToken),
      server.call(getTask, { params: { id: '1' } }),
    ])
    expect(server.calls.filter((path) => path === '/auth/refresh')).toHaveLength(1)
    expect(server.calls).toHaveLength(7)
    expect(server.sessionLost).not.toHaveBeenCalled()
  })

  it('reports a lost session when the renewal fails', async () => {
    const server = expiredServer(false)
    await expect(server.call(socketToken)).rejects.toMatchObject({ status: 401, code: 'unauthenticated' })
    expect(server.sessionLost).toHaveBeenCalledOnce()
  })

  it.each([
    ['a lost connection', undefined, { status: 0, code: 'network' }],
    ['a failing server', json(503, { code: 'unavailable' }), { status: 503, code: 'unavailable' }],
  ])('keeps the session if %s prevents its renewal', async (_, answer, problem) => {
    const sessionLost = vi.fn()
    const fetch = (async (address) => {
      if (!String(address).endsWith('/auth/refresh')) return json(401, { code: 'unauthenticated' })
      if (!answer) throw new TypeError('offline')
      return answer
    }) as typeof globalThis.fetch
    await expect(createClient({ fetch, sessionLost }).call(socketToken)).rejects.toMatchObject(problem)
    expect(sessionLost).not.toHaveBeenCalled()
  })

  it.each([me, listTasks, login])('to $path never renews the session', async (endpoint) => {
    const server = expiredServer(true)
    await expect(server.call(endpoint)).rejects.toMatchObject({ status: 401 })
    expect(server.calls).not.toContain('/auth/refresh')
    expect(server.sessionLost).not.toHaveBeenCalled()
  })

  it('reports a network error', async () => {
    const fetch = (() => Promise.reject(new TypeError('offline'))) as typeof globalThis.fetch
    const client = createClient({ fetch, sessionLost: () => {} })
    await expect(client.call(me)).rejects.toMatchObject({ status: 0, code: 'network' })
  })
})

describe('addressOf', () => {
  it('fills in parameters and query', () => {
    expect(addressOf('/videos/tasks/:id', { id: 'a/b' }, { page: 1, x: undefined })).toBe(
      '/api/v1/videos/tasks/a%2Fb?page=1',
    )
  })
})
