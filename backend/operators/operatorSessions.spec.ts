import { expect, it } from 'vitest'
import { type Change, RELISTENED } from '../kernel/postgres/changes.ts'
import { createOperatorSessions } from './operatorSessions.ts'

it('looks for a session again after a reconnect, which may have lost the notice of its end', async () => {
  let rows = [{ expires_at: new Date(Date.now() + 60_000) }]
  const pool = { query: async () => ({ rows }) }
  const listeners: ((change: Change) => void)[] = []
  const changes = { subscribe: (listener: (change: Change) => void) => void listeners.push(listener) }
  const deviceKey = { key: Buffer.alloc(32), former: Buffer.alloc(32) }
  const sessions = createOperatorSessions(pool as never, changes as never, { secure: false, deviceKey })
  const isSignedIn = () => sessions.isSignedIn({ cookies: { get: () => 'token' } } as never)
  expect(await isSignedIn()).toBe(true)
  rows = []
  expect(await isSignedIn()).toBe(true)
  for (const listener of listeners) listener({ name: RELISTENED, ids: [] })
  expect(await isSignedIn()).toBe(false)
})
