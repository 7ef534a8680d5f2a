import { describe, expect, it } from 'vitest'
import { check } from '../../../api/check.ts'
import { KeyForm } from './keyForm.ts'

const VALUES = { name: 'Script', 'scopes videos:write': 'on', expires_in_days: '90', password: 'correct horse' }
const orderOf = (values: Readonly<Record<string, string>>) => check(KeyForm, { ...VALUES, ...values })

describe('the form of a key', () => {
  it('reads checkboxes, numbers and lines', () => {
    const values = {
      'scopes account:read': 'on',
      'models T2V-01': 'on',
      credits_per_month: '1200',
      networks: ' 203.0.113.0/24\r\n\n2001:db8::/48 ',
    }
    expect(orderOf(values)).toEqual({
      ok: true,
      value: {
        name: 'Script',
        scopes: ['videos:write', 'account:read'],
        credits_per_day: null,
        credits_per_month: 1_200,
        models: ['T2V-01'],
        networks: ['203.0.113.0/24', '2001:db8::/48'],
        team_id: null,
        expires_in_days: 90,
        password: 'correct horse',
      },
    })
  })

  it('has no limits and no end where nothing is chosen', () => {
    const nothing = { credits_per_day: '', credits_per_month: ' ', networks: ' \n', expires_in_days: '' }
    expect(orderOf(nothing)).toMatchObject({
      value: { credits_per_day: null, credits_per_month: null, models: null, networks: null, expires_in_days: null },
    })
  })

  it.each([
    [{ name: ' ' }, 'name', 'required'],
    [{ credits_per_day: 'many' }, 'credits_per_day', 'invalid_number'],
    [{ credits_per_day: '1.5' }, 'credits_per_day', 'invalid_number'],
    [{ credits_per_month: '0' }, 'credits_per_month', 'too_small'],
    [{ networks: '203.0.113.7\noffice' }, 'networks', 'invalid_network'],
    [{ password: '' }, 'password', 'required'],
  ])('names the field of %j', (values, field, code) => {
    expect(orderOf(values)).toEqual({ ok: false, faults: { [field]: code } })
  })

  it('asks for a scope', () => {
    const { 'scopes videos:write': _, ...values } = VALUES
    expect(check(KeyForm, values)).toEqual({ ok: false, faults: { scopes: 'required' } })
  })
})
