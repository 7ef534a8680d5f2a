import { describe, expect, it } from 'vitest'
import { uuid7 } from '#backend/kernel/eventsourcing/uuid7.ts'
import { callbackUrlOf, isPublicUrl, verifyCallbackToken } from './callbackRoutes.ts'

const lastPart = (address: string) => address.split('/').at(-1)!

describe('the callback URL of a task', () => {
  it('identifies its task and fails with another secret or task id', () => {
    const taskId = uuid7()
    const address = callbackUrlOf('https://kinora.test', 'secret', taskId)
    expect(address).toMatch(/^https:\/\/kinora\.test\/webhooks\/minimax\/[^/]+$/)
    expect(verifyCallbackToken('secret', lastPart(address))).toBe(taskId)
    expect(verifyCallbackToken('another', lastPart(address))).toBe(undefined)
    expect(verifyCallbackToken('secret', lastPart(address).replace(taskId, uuid7()))).toBe(undefined)
  })

  it.each([
    ['https://kinora.org', true],
    ['https://kinora.org:8443/', true],
    ['http://kinora.org', false],
    ['https://localhost:3000', false],
    ['https://kinora.local', false],
    ['https://kinora', false],
    ['https://192.168.1.5', false],
    ['https://[::1]', false],
  ])('is sent only when the server is publicly reachable: %s, %j', (url, expected) => {
    expect(isPublicUrl(url)).toBe(expected)
  })
})
