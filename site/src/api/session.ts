import { atom } from 'nanostores'
import { logout, me, saveLanguage, type User } from '#backend/accounts/contract.ts'
import { localHref, pageLocale, translate } from '../i18n/client.ts'
import type { Locale } from '../i18n/core.ts'
import { inLanguage, rememberLanguage } from '../i18n/language.ts'
import { showToast } from '../ui/toasts.ts'
import { call, renewSession, whenSessionLost } from './api.ts'
import { ApiError } from './apiError.ts'
import { $credits } from './credits.ts'
import { forgetDrafts } from './draft.ts'
import { displayName, readHint, writeHint } from './hint.ts'
import { renewalDue, renewalFailed, renewed, startCounting } from './renewal.ts'

export type Session =
  | { readonly status: 'loading' }
  | { readonly status: 'in'; readonly user: User }
  | { readonly status: 'out' }

export const $session = atom<Session>({ status: 'loading' })

const SAVE_WITHIN_MS = 8000
let started: Promise<Session> | undefined

/** Takes a user over as signed in. */
export function enter(user: User): void {
  writeHint({ name: displayName(user), email: user.email, credits: readHint()?.credits ?? null })
  $session.set({ status: 'in', user })
}

/** Forgets the user on this device. */
export function leave(): void {
  writeHint(null)
  $credits.set(null)
  $session.set({ status: 'out' })
}

async function currentUser(): Promise<User> {
  try {
    return await call(me)
  } catch (error) {
    if (!(error instanceof ApiError && error.status === 401 && (await renewSession()))) throw error
    renewed(Date.now())
    return call(me)
  }
}

const renewIfOld = async () => {
  if (document.visibilityState === 'hidden' || !renewalDue(Date.now())) return
  // Said before it is done, so that other tabs leave it to this one.
  renewed(Date.now())
  if (!(await renewSession())) renewalFailed(Date.now())
}

function keepAlive(): void {
  startCounting(Date.now())
  void renewIfOld()
  setInterval(() => void renewIfOld(), 60_000)
  // A device that slept missed its timer: it renews as soon as somebody looks at it again.
  document.addEventListener('visibilitychange', () => void renewIfOld())
}

/** Goes to the page in the account's language. A browser that keeps no choice would send the reader straight back. */
function applyLanguage(language: Locale): void {
  if (rememberLanguage(language) && language !== pageLocale()) location.replace(inLanguage(location, language))
}

async function start(): Promise<Session> {
  try {
    const user = await currentUser()
    enter(user)
    keepAlive()
    applyLanguage(user.language)
  } catch {
    leave()
  }
  return $session.get()
}

/** Asks once per page who is signed in; every caller gets the same answer. */
export function startSession(): Promise<Session> {
  started ??= start()
  return started
}

/** Keeps the language on the account of whoever is signed in. */
export async function keepLanguage(language: Locale): Promise<void> {
  await startSession()
  if ($session.get().status !== 'in') return
  await call(saveLanguage, { body: { language }, signal: AbortSignal.timeout(SAVE_WITHIN_MS) })
}

/** Sends a visitor to the login page, and answers the user of anyone else. For pages of members alone. */
export async function memberOnly(): Promise<User | undefined> {
  const session = await startSession()
  if (session.status === 'in') return session.user
  const here = location.pathname + location.search + location.hash
  location.replace(`${localHref('/auth/login')}?next=${encodeURIComponent(here)}`)
  return undefined
}

const goToLogin = (ms: number) => setTimeout(() => location.assign(localHref('/auth/login')), ms)

/** Signs out on the server and here, whatever the server says, and goes to the login page. */
async function end(told: () => void, ms: number): Promise<void> {
  const ended = await call(logout).then(
    () => true,
    () => false,
  )
  leave()
  if (ended) told()
  else showToast('danger', translate()('common.session.logoutFailed'))
  goToLogin(ended ? ms : 1000)
}

/** Signs out because the user wants it: nothing that was begun here is left for the next one. */
export function signOut(): Promise<void> {
  forgetDrafts()
  return end(() => {}, 0)
}

whenSessionLost(() => {
  if ($session.get().status === 'out') return
  // Said before it is done: other calls that fail meanwhile need not say it again.
  leave()
  void end(() => showToast('warning', translate()('common.session.ended')), 500)
})
