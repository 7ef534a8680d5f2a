import { describe, expect, it } from 'vitest'
import { uuid7 } from '#backend/kernel/eventsourcing/uuid7.ts'
import { callbackAddress, isPublic, taskOfAddress } from './callbackAddress.ts'

const lastPart = (address: string) => address.split('/').at(-1)!

describe('the address of a callback', () => {
  it('names its task, under one secret only', () => {
    const taskId = uuid7()
    const address = callbackAddress('https://kinora.test', 'secret', taskId)
    expect(address).toMatch(/^https:\/\/kinora\.test\/webhooks\/minimax\/[^/]+$/)
    expect(taskOfAddress('secret', lastPart(address))).toBe(taskId)
    expect(taskOfAddress('another', lastPart(address))).toBe(undefined)
    expect(taskOfAddress('secret', lastPart(address).replace(taskId, uuid7()))).toBe(undefined)
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
  ])('is given away where the provider can reach it: %s, %j', (url, expected) => {
    expect(isPublic(url)).toBe(expected)
  })
})
