import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { continueWith } from '../start/mailedLink.ts'
import { readLocalStart, writeLocalStart } from '../start/startDraft.ts'
import { storageDouble } from '../testing/storageDouble.ts'
import { buyPlan } from './purchase.ts'

/** A page whose server starts every purchase. */
function openPage() {
  const page = new EventTarget()
  const assign = vi.fn()
  vi.stubGlobal('addEventListener', page.addEventListener.bind(page))
  vi.stubGlobal('localStorage', storageDouble(new Map()))
  vi.stubGlobal('location', { origin: 'https://kinora.test', protocol: 'https:', assign })
  vi.stubGlobal('fetch', async () => Response.json({ data: { approval_url: 'https://pay.test/approve' } }))
  const show = (persisted: boolean) => page.dispatchEvent(Object.assign(new Event('pageshow'), { persisted }))
  return { assign, show }
}

describe('a purchase', () => {
  it('ends when the buyer comes back to the page by the history', async () => {
    const { assign, show } = openPage()
    const ended = vi.fn()
    const purchase = buyPlan('pro').then(ended)
    await expect.poll(() => assign).toHaveBeenCalledExactlyOnceWith('https://pay.test/approve')
    expect(ended).not.toHaveBeenCalled()
    show(false)
    await Promise.resolve()
    expect(ended).not.toHaveBeenCalled()
    show(true)
    await purchase
    expect(ended).toHaveBeenCalledOnce()
  })

  it('ends after ten seconds if the page has not left', async () => {
    vi.useFakeTimers()
    onTestFinished(() => void vi.useRealTimers())
    openPage()
    const ended = vi.fn()
    const purchase = buyPlan('pro').then(ended)
    await vi.advanceTimersByTimeAsync(9_999)
    expect(ended).not.toHaveBeenCalled()
    await vi.advanceTimersByTimeAsync(1)
    await purchase
  })

  it('of a mailed link is not repeated by the next link', async () => {
    const { assign, show } = openPage()
    writeLocalStart({ prompt: 'a fox', plan: 'pro' })
    const next = continueWith({ prompt: '', has_image: false, plan: 'pro' } as never)
    await expect.poll(() => assign).toHaveBeenCalledOnce()
    expect(readLocalStart()).toEqual({ prompt: 'a fox' })
    show(true)
    expect(await next).toBe('/profile#subscription')
  })
})
