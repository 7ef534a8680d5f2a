import * as z from 'zod/mini'
import {
  forgotPassword,
  login,
  Password,
  PasswordChange,
  PROVIDERS_PATH,
  passkeyLogin,
  Registration,
  register,
  resendVerification,
  resetPassword,
  secondFactor,
  secureAccount,
  userFactors,
  verifyEmail,
} from '#backend/accounts/contract.ts'
import { API_BASE, safeNext } from '#backend/kernel/http/contract.ts'
import { localHref, pageLocale, translate } from '../i18n/client.ts'
import { localizedPath } from '../i18n/core.ts'
import { rememberLanguage } from '../i18n/language.ts'
import { showToast } from '../ui/toasts/toasts.ts'
import { type Answer, call } from './api.ts'
import { ApiError, ticketOf } from './apiError.ts'
import { provePasskey } from './factors/passkeys.ts'
import { readHint } from './hint.ts'
import { leaveFor } from './pages/leaveFor.ts'
import { recordRenewal } from './renewal.ts'

import { setSignedIn, setSignedOut, startSession } from './session.ts'
import { keepNext, takeNext } from './start/keptNext.ts'
import { forgetRegistered, markRegistered } from './start/registeredHere.ts'

const Confirmation = z.string({ error: 'required' }).check(z.minLength(1, 'required'))
/** Checks that the password and its confirmation match. */
const matchesConfirmation =
  <Name extends string>(name: Name) =>
  (ctx: z.core.ParsePayload<Readonly<Record<Name | 'confirm', string>>>): void => {
    const { [name]: password, confirm } = ctx.value
    if (!confirm || password === confirm.normalize('NFKC')) return
    ctx.issues.push({ code: 'custom', path: ['confirm'], message: 'passwords_differ', input: confirm })
  }

/** Schema of the registration form: the contract's fields and a password confirmation. */
export const RegistrationForm = z.extend(Registration, { confirm: Confirmation }).check(matchesConfirmation('password'))

/** Schema of the form that sets a new password. The password rules are those of the registration form. */
export const NewPasswordForm = z
  .object({ new_password: Password, confirm: Confirmation })
  .check(matchesConfirmation('new_password'))
/** Schema of the form that changes a password: the current one, the new one and a confirmation. */
export const PasswordForm = z
  .extend(PasswordChange, { confirm: Confirmation })
  .check(matchesConfirmation('new_password'))

const pendingPath = (email: string) => `/auth/email-verification-pending?email=${encodeURIComponent(email)}`

/** Returns the page that this page's URL asks for. A redirect from a private page leaves its anchor in this URL. */
export function requestedPage(): string | null {
  const next = new URLSearchParams(location.search).get('next')
  // `#remix` shows a film on this page.
  return next && !next.includes('#') && location.hash !== '#remix' ? next + location.hash : next
}

/** Keeps the page that this page's URL asks for, before a sign-up or a mail leads through other pages and tabs. */
export function keepRequestedPage(): void {
  const requested = requestedPage()
  if (requested) keepNext(requested)
}

/** Returns the page to open after signing in: the requested one, or the one that was requested before a sign-up or a mail. */
export function nextPage(): string {
  const kept = takeNext()
  return pageHere(requestedPage() ?? kept)
}

/** Returns a page of this site, or the workspace. */
export const pageHere = (next: string | null): string => safeNext(next, '/workspace', location.origin)

/** Opens the sign-in at a provider, which leads to the requested page. */
export function goToProvider(id: string, next = nextPage()): void {
  const query = new URLSearchParams({ next, language: pageLocale() })
  location.assign(`${API_BASE}${PROVIDERS_PATH}/${encodeURIComponent(id)}/start?${query}`)
}

/** Opens the requested page if a user is signed in already. Finds out whether an earlier session has ended. */
export async function sendSignedInOn(): Promise<void> {
  if (document.documentElement.dataset.session !== 'in' && !readHint()) return
  const session = await startSession()
  if (session.status === 'in') location.replace(localizedPath(nextPage(), session.user.language))
}

type Next = () => Promise<string | undefined>

/** Opens a page in the account's language: the requested one, or the one that `next` returns. */
export async function enter({ user }: Answer<typeof login>, next: Next = async () => nextPage()): Promise<void> {
  if (!user) throw new ApiError(200, 'unknown', translate()('auth.login.noUser'))
  setSignedIn(user)
  recordRenewal(Date.now())
  rememberLanguage(user.language)
  const page = await next()
  if (page) await leaveFor(localizedPath(page, user.language))
}

/** Signs in and opens the requested page. Returns a ticket if the account has a second factor. */
export async function signIn(credentials: { email: string; password: string }): Promise<string | undefined> {
  const t = translate()
  try {
    await enter(await call(login, { body: credentials }))
  } catch (error) {
    if (!(error instanceof ApiError)) throw error
    if (error.code === 'second_factor_required') return ticketOf(error)
    if (error.code !== 'email_not_verified') throw error
    const link = { href: localHref(pendingPath(credentials.email)), label: t('auth.login.toPending') }
    showToast('warning', t('auth.login.notVerified'), { ms: 8000, link })
  }
  return undefined
}

/** Finishes a sign-in with a code of the second factor, and opens the requested page. */
export const signInWithCode = async (ticket: string, code: string, next?: Next): Promise<void> =>
  enter(await call(secondFactor, { body: { ticket, code } }), next)

/** Signs in with a passkey, and opens the requested page. */
export const signInWithPasskey = async (next?: Next): Promise<void> =>
  enter(await call(passkeyLogin, { body: { credential: await provePasskey(userFactors) } }), next)

/** Creates an account in the page's language and opens the page that asks the user to verify the email address. */
export async function signUp(form: z.output<typeof RegistrationForm>): Promise<void> {
  const { email, password, username } = form
  await call(register, { body: { email, password, username, language: pageLocale() } })
  markRegistered(email)
  await leaveFor(localHref(pendingPath(email)))
}

/** Sends a new verification link. */
export const resend = (email: string) => call(resendVerification, { body: { email } })

/**
 * Verifies an email address with the token from its link, which works once. Returns undefined if the address is verified
 * already.
 * @throws ApiError
 */
export async function verify(token: string): Promise<Answer<typeof verifyEmail> | undefined> {
  try {
    const answer = await call(verifyEmail, { body: { token } })
    forgetRegistered()
    return answer
  } catch (error) {
    if (error instanceof ApiError && error.code === 'already_verified') return undefined
    throw error
  }
}

/** Sends a password reset link. The response does not reveal whether the address has an account. */
export const requestReset = (email: string) => call(forgotPassword, { body: { email } })

/**
 * Sets a new password with the token from a reset link. The server ends every session, including this one, and gives an
 * invited account the page's language.
 */
export async function setNewPassword(token: string, password: string): Promise<void> {
  await call(resetPassword, { body: { token, new_password: password, language: pageLocale() } })
  setSignedOut()
}

/** Ends every session with the token of a new-device mail. Returns a token that sets a new password. */
export async function secure(token: string): Promise<string> {
  const { reset_token } = await call(secureAccount, { body: { token } })
  setSignedOut()
  return reset_token
}

/** Returns whether a link's token is used, expired or malformed. The user then needs a new link. */
export const isTokenRefused = (error: unknown): boolean =>
  error instanceof ApiError &&
  (error.code === 'token_invalid' || error.faults.some(({ path }) => path.split('.').at(-1) === 'token'))

export type ResetScreen =
  | { readonly token: string; readonly secures: boolean }
  | { readonly token: undefined; readonly missing: boolean }

/** Decides from the URL whether the reset screen ends every session first, sets a password, or requests a link. */
export function resetScreen({ pathname, search }: { pathname: string; search: string }): ResetScreen {
  const query = new URLSearchParams(search)
  const token = query.get('token')?.trim()
  return token
    ? { token, secures: query.get('secure') === '1' }
    : { token: undefined, missing: /\/reset-password\/?$/.test(pathname) }
}
