import { beforeEach, describe, expect, it, vi } from 'vitest'

const NOW = Date.UTC(2026, 0, 1)
const HOUR = 3_600_000

/** Loads the module as a new page would. */
async function page(storage: ReturnType<typeof browser> | undefined) {
  vi.stubGlobal('localStorage', storage)
  vi.resetModules()
  return await import('./renewal.ts')
}

function browser(): Pick<Storage, 'getItem' | 'setItem'> {
  const kept = new Map<string, string>()
  return {
    setItem: (key: string, value: string) => void kept.set(key, value),
    getItem: (key: string) => kept.get(key) ?? null,
  }
}

describe('the session renewal', () => {
  beforeEach(() => vi.unstubAllGlobals())

  it('is due every seven hours, independent of page loads', async () => {
    const storage = browser()
    const first = await page(storage)
    first.startRenewalClock(NOW)
    const second = await page(storage)
    second.startRenewalClock(NOW + HOUR)
    expect(second.renewalDue(NOW + 7 * HOUR - 1)).toBe(false)
    expect(second.renewalDue(NOW + 7 * HOUR)).toBe(true)
  })

  it('is retried ten minutes after a failure', async () => {
    const { scheduleRenewalRetry, renewalDue, RENEWAL_RETRY_MS } = await page(browser())
    scheduleRenewalRetry(NOW)
    expect(renewalDue(NOW + RENEWAL_RETRY_MS - 1)).toBe(false)
    expect(renewalDue(NOW + RENEWAL_RETRY_MS)).toBe(true)
  })

  it('is tracked per page if storage is unavailable', async () => {
    const { recordRenewal, renewalDue } = await page(undefined)
    recordRenewal(NOW)
    expect(renewalDue(NOW + HOUR)).toBe(false)
    expect(renewalDue(NOW + 8 * HOUR)).toBe(true)
  })

  it('is due after the clock is set back', async () => {
    const { recordRenewal, renewalDue } = await page(browser())
    recordRenewal(NOW)
    expect(renewalDue(NOW - 8 * HOUR)).toBe(true)
  })
})
