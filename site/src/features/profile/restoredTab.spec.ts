import { afterEach, describe, expect, it, vi } from 'vitest'
import type { BillingDetails } from '#backend/invoices/contract.ts'
import { $billingDetails, loadBillingDetails } from './invoices.ts'
import { $hasPassword, loadPassword } from './profile.ts'

afterEach(() => {
  $billingDetails.set(null)
  $hasPassword.set(null)
})

describe('a tab that is shown again without a connection', () => {
  it('keeps its forms, with what was typed into them', async () => {
    vi.stubGlobal('fetch', () => Promise.reject(new TypeError('offline')))
    const details: BillingDetails = { name: 'Ada', address: '', country: '', vat_id: '' }
    $billingDetails.set(details)
    $hasPassword.set(false)
    await Promise.all([loadBillingDetails(), loadPassword()])
    expect([$billingDetails.get(), $hasPassword.get()]).toEqual([details, false])
  })

  it('says what could not be loaded if it had nothing yet', async () => {
    vi.stubGlobal('fetch', () => Promise.reject(new TypeError('offline')))
    await Promise.all([loadBillingDetails(), loadPassword()])
    expect([$billingDetails.get(), $hasPassword.get()]).toEqual(['failed', 'failed'])
  })
})
