/** Opening an account, verifying it, and signing in. */
import * as z from 'zod/mini'
import {
  forgotPassword,
  login,
  Password,
  PasswordChange,
  Registration,
  register,
  resendVerification,
  resetPassword,
  verifyEmail,
} from '#backend/accounts/contract.ts'
import { localHref, pageLocale, translate } from '../i18n/client.ts'
import { localizedPath } from '../i18n/core.ts'
import { rememberLanguage } from '../i18n/language.ts'
import { showToast } from '../ui/toasts.ts'
import { call } from './api.ts'
import { ApiError } from './apiError.ts'
import { renewed } from './renewal.ts'
import { safeNext } from './safeNext.ts'
import { enter, leave } from './session.ts'

const Confirmation = z.string({ error: 'required' }).check(z.minLength(1, 'required'))
/** Both fields hold the same password. */
export const matchesConfirmation =
  <Name extends string>(name: Name) =>
  (ctx: z.core.ParsePayload<Readonly<Record<Name | 'confirm', string>>>): void => {
    const { [name]: password, confirm } = ctx.value
    if (!confirm || password === confirm.normalize('NFKC')) return
    ctx.issues.push({ code: 'custom', path: ['confirm'], message: 'passwords_differ', input: confirm })
  }

/** The registration form: the contract's fields, and the password once more. */
export const RegistrationForm = z.extend(Registration, { confirm: Confirmation }).check(matchesConfirmation('password'))

/** The form of a new password: by the rules of registration, and once more. */
export const NewPasswordForm = z
  .object({ new_password: Password, confirm: Confirmation })
  .check(matchesConfirmation('new_password'))
/** The same for who knows the current one. */
export const PasswordForm = z
  .extend(PasswordChange, { confirm: Confirmation })
  .check(matchesConfirmation('new_password'))

export const pendingPath = (email: string) => `/auth/email-verification-pending?email=${encodeURIComponent(email)}`

/** Signs in and goes on to the page that was asked for, in the account's language. */
export async function signIn(credentials: { email: string; password: string }): Promise<void> {
  const t = translate()
  try {
    const { user } = await call(login, { body: credentials })
    if (!user) throw new ApiError(200, 'unknown', t('auth.login.noUser'))
    enter(user)
    renewed(Date.now())
    rememberLanguage(user.language)
    const next = safeNext(new URLSearchParams(location.search).get('next'), '/workspace', location.origin)
    location.assign(localizedPath(next, user.language))
  } catch (error) {
    if (error instanceof ApiError && error.code === 'email_not_verified') {
      const link = { href: localHref(pendingPath(credentials.email)), label: t('auth.login.toPending') }
      showToast('warning', t('auth.login.notVerified'), { ms: 8000, link })
      return
    }
    throw error
  }
}

/** Opens an account in the page's language and goes to the page that waits for the e-mail. */
export async function signUp(form: z.output<typeof RegistrationForm>): Promise<void> {
  const { email, password, username } = form
  await call(register, { body: { email, password, username, language: pageLocale() } })
  location.assign(localHref(pendingPath(email)))
}

/** Mails a new verification link. */
export const resend = (email: string) => call(resendVerification, { body: { email } })

/** Verifies an address by the token of its mail. */
export const verify = (token: string) => call(verifyEmail, { body: { token } })

/** Mails a link that sets a new password; nobody learns here whether the address has an account. */
export const requestReset = (email: string) => call(forgotPassword, { body: { email } })

/** Sets a new password by the token of its mail. Every session has then ended, one on this device as well. */
export async function setNewPassword(token: string, password: string): Promise<void> {
  await call(resetPassword, { body: { token, new_password: password } })
  leave()
}

/** Whether the token of a link is used up, too old or broken, so that only a new link helps. */
export const isTokenRefused = (error: unknown): boolean =>
  error instanceof ApiError &&
  (error.code === 'token_invalid' || error.faults.some(({ path }) => path.split('.').at(-1) === 'token'))

export type ResetScreen = { readonly token: string } | { readonly token: undefined; readonly missing: boolean }

/** What the reset screen is for at an address: setting a password with a token, or asking for one. */
export function resetScreen({ pathname, search }: { pathname: string; search: string }): ResetScreen {
  const token = new URLSearchParams(search).get('token')?.trim()
  return token ? { token } : { token: undefined, missing: /\/reset-password\/?$/.test(pathname) }
}
