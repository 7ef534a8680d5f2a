import { expect, it } from 'vitest'
import type { Context } from '../context.ts'
import { nowOnBoard } from './nowOnBoard.ts'

it('shows no alert of what is a case', async () => {
  const codes = ['refund_proposed S-1', 'refund_failed R-1', 'daily_zero', 'fraud_warning S-1']
  const alerts = async () => codes.map((code) => ({ code, detail: '', since: '2026-11-29T12:00:00.000Z', times: 1 }))
  const shown = await nowOnBoard({} as Context, alerts, () => Promise.reject(new Error('unused'))).alerts()
  expect(shown.map(({ code }) => code)).toEqual(['daily_zero', 'fraud_warning S-1'])
})
