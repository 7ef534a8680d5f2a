import { describe, expect, it, vi } from 'vitest'
import * as z from 'zod/mini'
import { isTokenRefused, NewPasswordForm, RegistrationForm, resetScreen, setNewPassword } from './account.ts'
import { ApiError } from './apiError.ts'
import { storageDouble } from './testing/storageDouble.ts'

const form = {
  username: 'Mary',
  email: ' Mary@Example.com',
  password: 'password1',
  confirm: 'password1',
  language: 'en',
}
const faults = (over: object) =>
  z.safeParse(RegistrationForm, { ...form, ...over }).error?.issues.map(({ path, message }) => [path[0], message])

describe('the registration form', () => {
  it('accepts the contract’s fields', () => {
    expect(z.parse(RegistrationForm, form)).toMatchObject({ email: 'mary@example.com', username: 'Mary' })
  })

  it('requires the password twice', () => {
    expect(faults({ confirm: 'password2' })).toEqual([['confirm', 'passwords_differ']])
    expect(faults({ confirm: '' })).toEqual([['confirm', 'required']])
  })

  it('reports each rule by its code', () => {
    expect(faults({ username: 'M', email: 'x', password: 'short', confirm: 'short' })).toEqual([
      ['email', 'invalid_email'],
      ['password', 'password_too_short'],
      ['username', 'name_too_short'],
    ])
  })
})

describe('the new password form', () => {
  const faultsOf = (new_password: string, confirm: string) =>
    z.safeParse(NewPasswordForm, { new_password, confirm }).error?.issues.map(({ path, message }) => [path[0], message])

  it('applies the rules of registration', () => {
    expect(faultsOf('password1', 'password1')).toBeUndefined()
    expect(faultsOf('', '')).toEqual([
      ['new_password', 'required'],
      ['confirm', 'required'],
    ])
    expect(faultsOf('short', 'short')).toEqual([['new_password', 'password_too_short']])
    expect(faultsOf('password1', 'password2')).toEqual([['confirm', 'passwords_differ']])
  })
})

describe('a new password', () => {
  it('is sent with the language of the page', async () => {
    const sent: unknown[] = []
    vi.stubGlobal('localStorage', storageDouble(new Map()))
    vi.stubGlobal('document', { documentElement: { lang: 'zh-CN', dataset: {} } })
    vi.stubGlobal('fetch', async (_: string, { body }: { body: string }) => {
      sent.push(JSON.parse(body))
      return new Response(JSON.stringify({ message: '' }))
    })
    await setNewPassword('t1', 'password1')
    expect(sent).toEqual([{ token: 't1', new_password: 'password1', language: 'zh' }])
    vi.unstubAllGlobals()
  })
})

describe('the reset screen', () => {
  it.each([
    ['/auth/forgot-password', '', { token: undefined, missing: false }],
    ['/zh/auth/reset-password', '?token=', { token: undefined, missing: true }],
    ['/reset-password/', '', { token: undefined, missing: true }],
    ['/auth/forgot-password', '?token=t1', { token: 't1', secures: false }],
    ['/zh/reset-password', '?a=1&token=t%2B2', { token: 't+2', secures: false }],
    ['/reset-password', '?token=t1&secure=1', { token: 't1', secures: true }],
  ])('parses %s%s', (pathname, search, expected) => {
    expect(resetScreen({ pathname, search })).toEqual(expected)
  })

  it('detects a token that needs a new link', () => {
    const invalid = (path: string) => new ApiError(422, 'invalid_input', 'Check.', [{ path, code: 'token_invalid' }])
    expect(isTokenRefused(new ApiError(422, 'token_invalid'))).toBe(true)
    expect(isTokenRefused(invalid('token'))).toBe(true)
    expect(isTokenRefused(invalid('new_password'))).toBe(false)
    expect(isTokenRefused(new ApiError(0, 'network'))).toBe(false)
    expect(isTokenRefused(new Error('token'))).toBe(false)
  })
})
