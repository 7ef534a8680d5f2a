import type { Context } from 'koa'
import { expect, it, vi } from 'vitest'
import type { KeyRow } from './apiKeys.ts'
import { createKeyDoor } from './keyDoor.ts'
import { makeKey } from './keyText.ts'

const key = makeKey()
const request = { ip: '127.0.0.1', get: () => `Bearer ${key}` } as unknown as Context

function openDoor() {
  let now = Date.UTC(2026, 0, 1)
  const row = {
    id: 'key',
    user_id: 'user',
    purse_id: 'key',
    last_used_at: new Date(now),
    ended_at: null as Date | null,
  }
  const find = vi.fn(async () => ({ ...row }) as KeyRow)
  const touch = vi.fn(async () => {
    row.last_used_at = new Date(now)
  })
  const door = createKeyDoor({ find, touch }, () => now)
  const pass = (ms: number) => {
    now += ms
  }
  return { door, row, find, touch, pass }
}

it('a key that another process has ended is refused within a second', async () => {
  const { door, row, pass } = openDoor()
  await door.authenticate(request)
  row.ended_at = new Date()
  pass(1_000)
  await expect(door.authenticate(request)).rejects.toMatchObject({
    code: 'invalid_api_key',
    fields: { reason: 'ended' },
  })
})

it('a key is looked up once a second, and its use recorded once a minute', async () => {
  const { door, find, touch, pass } = openDoor()
  for (let n = 0; n < 240; n++) {
    await door.authenticate(request)
    pass(500)
  }
  expect(find).toHaveBeenCalledTimes(120)
  expect(touch).toHaveBeenCalledTimes(1)
})

it('calls count for the key only while it was genuine a moment ago', async () => {
  const { door, pass } = openDoor()
  expect(door.genuine(request)).toBeUndefined()
  await door.authenticate(request)
  expect(door.genuine(request)).toBe('key')
  pass(30_000)
  expect(door.genuine(request)).toBeUndefined()
})
