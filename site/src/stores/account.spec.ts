import { describe, expect, it } from 'vitest'
import * as z from 'zod/mini'
import { RegistrationForm } from './account.ts'

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
  it('takes the contract’s fields', () => {
    expect(z.parse(RegistrationForm, form)).toMatchObject({ email: 'mary@example.com', username: 'Mary' })
  })

  it('wants the password twice', () => {
    expect(faults({ confirm: 'password2' })).toEqual([['confirm', 'passwords_differ']])
    expect(faults({ confirm: '' })).toEqual([['confirm', 'required']])
  })

  it('words each rule by its code', () => {
    expect(faults({ username: 'M', email: 'x', password: 'short', confirm: 'short' })).toEqual([
      ['email', 'invalid_email'],
      ['password', 'password_too_short'],
      ['username', 'name_too_short'],
    ])
  })
})
