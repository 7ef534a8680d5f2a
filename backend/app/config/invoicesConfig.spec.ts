import { expect, it } from 'vitest'
import { parseEnvironment } from './environment.ts'
import { invoiceFault, readInvoices } from './invoicesConfig.ts'

const read = (env: Record<string, string>) => readInvoices(parseEnvironment(env))
const ADDRESS = { SELLER_NAME: 'Kinora Ltd', SELLER_ADDRESS: '1 High Street; ; 1234 Town' }

it('invoices have no seller until a name and an address are set', () => {
  expect(read({})).toEqual({ seller: undefined, taxRate: 0, reverseCharge: false, series: 'K', years: 10 })
  expect(read({ SELLER_NAME: 'Kinora Ltd' }).seller).toBeUndefined()
  expect(read({ ...ADDRESS, SELLER_VAT_ID: 'DE123456789', TAX_RATE: '7.7', REVERSE_CHARGE: 'on' })).toMatchObject({
    seller: { name: 'Kinora Ltd', address: ['1 High Street', '1234 Town'], vatId: 'DE123456789' },
    ...{ taxRate: 7.7, reverseCharge: true },
  })
})

it.each([
  ['TAX_RATE', '100'],
  ['TAX_RATE', '-1'],
  ['SELLER_VAT_ID', 'de 1'],
  ['INVOICE_SERIES', 'K-1'],
  ['INVOICE_YEARS', '0'],
])('%s is not %s', (name, value) => {
  expect(() => read({ [name]: value })).toThrow(`${name}: must be`)
})

it('the operator is told that the seller is missing where money is taken', () => {
  const fault = (till: 'paypal' | 'sandbox' | undefined, env = {}) =>
    invoiceFault({ payments: { tills: till ? [till] : [] }, invoices: read(env) })
  expect(fault('paypal')).toMatch(/^SELLER_NAME or SELLER_ADDRESS is not set/)
  expect([fault('paypal', ADDRESS), fault('sandbox'), fault(undefined)]).toEqual([undefined, undefined, undefined])
})
