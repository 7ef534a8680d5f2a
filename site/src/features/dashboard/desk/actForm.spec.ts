import { describe, expect, it } from 'vitest'
import { check } from '../../../api/check.ts'
import { actForm } from './actForm.ts'

const ID = '0198c2a0-0000-7000-8000-000000000001'

describe('the form of an act', () => {
  it.each([
    ['grant', '1,000', 1_000],
    ['grant', '12,000,000', 12_000_000],
    ['take', '1 000', 1_000],
    ['grant', ' 60 ', 60],
    ['refund', '1,200', 120_000],
    ['refund', '1,200.50', 120_050],
    ['refund', '12,5', 1_250],
    ['refund', '0.29', 29],
  ] as const)('reads the amount of a %s of %s', (kind, amount, read) => {
    const value = { id: ID, kind, subject: 'subject', reason: 'A mistake', amount: read }
    expect(check(actForm(kind, 'subject', ID), { reason: 'A mistake', amount })).toEqual({ ok: true, value })
  })

  it.each([
    ['grant', ''],
    ['grant', '1.000'],
    ['grant', '12.5'],
    ['grant', '10,00,000'],
    ['refund', '1.200,50'],
    ['refund', '5 USD'],
  ] as const)('refuses an amount of a %s of "%s"', (kind, amount) => {
    const read = check(actForm(kind, 'subject', ID), { reason: 'A mistake', amount })
    expect(read).toEqual({ ok: false, faults: { amount: 'invalid_number' } })
  })
})
