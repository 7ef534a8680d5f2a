import { expect, it } from 'vitest'
import { type Change, RELISTENED } from '../kernel/postgres/changes.ts'
import { BOOTSTRAP } from './events.ts'
import { createOperatorSessions } from './operatorSessions.ts'

const OPTIONS = {
  secure: false,
  secret: 'a session secret',
  password: 'a password',
  username: 'olga',
  deviceKey: Buffer.alloc(32),
}

it.each([
  ['SESSION_SECRET', { secret: 'a new secret' }],
  ['the password of the operator', { password: 'a new password' }],
])('ends sessions when %s changes', async (_, changed) => {
  const stored: unknown[] = []
  const pool = {
    async query(sql: string | { values: unknown[] }, values: unknown[] = []) {
      if (typeof sql !== 'string') return { rows: stored.includes(sql.values[0]) ? [{ expires_at: new Date() }] : [] }
      if (sql.startsWith('insert')) stored.push(values[0])
      return { rows: [] }
    },
  }
  const cookies = new Map<string, string>()
  const ctx = {
    cookies: {
      get: (name: string) => cookies.get(name),
      set: (name: string, value: string) => cookies.set(name, value),
    },
  }
  const open = (options: object) =>
    createOperatorSessions(pool as never, { subscribe: () => {} } as never, { ...OPTIONS, ...options })
  await open({}).signIn(ctx as never, { id: BOOTSTRAP, name: 'olga', role: 'owner' }, false)
  const isSignedIn = async (options: object) => Boolean(await open(options).current(ctx as never))
  expect([await isSignedIn({}), await isSignedIn(changed)]).toEqual([true, false])
})

it('looks for a session again after a reconnect, which may have lost the notice of its end', async () => {
  let rows = [{ expires_at: new Date(Date.now() + 60_000) }]
  const pool = { query: async () => ({ rows }) }
  const listeners: ((change: Change) => void)[] = []
  const changes = { subscribe: (listener: (change: Change) => void) => void listeners.push(listener) }
  const sessions = createOperatorSessions(pool as never, changes as never, OPTIONS)
  const isSignedIn = async () => Boolean(await sessions.current({ cookies: { get: () => 'token' } } as never))
  expect(await isSignedIn()).toBe(true)
  rows = []
  expect(await isSignedIn()).toBe(true)
  for (const listener of listeners) listener({ name: RELISTENED, ids: [] })
  expect(await isSignedIn()).toBe(false)
})
