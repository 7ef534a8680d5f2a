import { afterEach, describe, expect, it, vi } from 'vitest'
import { storageDouble } from '../testing/storageDouble.ts'
import { forgetRegistered, isRegisteredHere, markRegistered } from './registeredHere.ts'

afterEach(() => void vi.unstubAllGlobals())

describe('the mark of the browser that registered', () => {
  it('holds for its address in any case, until it is verified', () => {
    vi.stubGlobal('localStorage', storageDouble(new Map()))
    expect([isRegisteredHere('ada@kinora.test'), isRegisteredHere(null)]).toEqual([false, false])
    markRegistered('Ada@kinora.test')
    expect(isRegisteredHere('ada@Kinora.test')).toBe(true)
    expect([isRegisteredHere('bob@kinora.test'), isRegisteredHere(null)]).toEqual([false, false])
    forgetRegistered()
    expect(isRegisteredHere('ada@kinora.test')).toBe(false)
  })

  it('is missing without storage', () => {
    vi.stubGlobal('localStorage', undefined)
    markRegistered('ada@kinora.test')
    expect(isRegisteredHere('ada@kinora.test')).toBe(false)
    expect(forgetRegistered).not.toThrow()
  })
})
