import { atom } from 'nanostores'
import { logout, me, saveLanguage, type User } from '#backend/accounts/contract.ts'
import { localHref, pageLocale, translate } from '../i18n/client.ts'
import type { Locale } from '../i18n/core.ts'
import { inLanguage, rememberLanguage } from '../i18n/language.ts'
import { showToast } from '../ui/toasts/toasts.ts'
import { call, handleSessionLost, renewSession } from './api.ts'
import { ApiError } from './apiError.ts'
import { $credits } from './credits.ts'
import { forgetDrafts } from './draft.ts'
import { displayName, readHint, removeSessionMark, writeHint } from './hint.ts'
import { $outage, untilAnswered } from './outages/outage.ts'
import { onRestored, reloadHidden } from './pages/restored.ts'
import { recordRenewal, renewalDue, scheduleRenewalRetry, startRenewalClock } from './renewal.ts'
import { markEnded, takeEndedMark } from './start/sessionEnd.ts'

export type Session =
  | { readonly status: 'loading' }
  | { readonly status: 'in'; readonly user: User }
  | { readonly status: 'out' }

export const $session = atom<Session>({ status: 'loading' })

const SAVE_WITHIN_MS = 8000
let started: Promise<Session> | undefined

export function setSignedIn(user: User): void {
  const { credits = null, hasFilms = false, inTeam = false } = readHint() ?? {}
  writeHint({ name: displayName(user), email: user.email, credits, hasFilms, inTeam })
  takeEndedMark()
  $session.set({ status: 'in', user })
}

/** Clears the user and the balance from this browser. Drafts remain. */
export function setSignedOut(): void {
  writeHint(null)
  $credits.set(null)
  $session.set({ status: 'out' })
}

async function currentUser(): Promise<User> {
  try {
    return await call(me)
  } catch (error) {
    if (!(error instanceof ApiError && error.status === 401 && (await renewSession()))) throw error
    recordRenewal(Date.now())
    return call(me)
  }
}

const isRefusal = (error: unknown): boolean =>
  error instanceof ApiError && error.status >= 400 && error.status < 500 && error.status !== 429

/** Asks for the user until the server answers: a lost connection does not end a session. @throws ApiError if it refuses */
async function answeredUser(): Promise<User> {
  // Private pages explain the wait where they show what is missing.
  const unsubscribe = $outage.listen((outage) => {
    unsubscribe()
    if (outage && !document.body.hasAttribute('data-private'))
      showToast('warning', translate()('common.session.unreachable'))
  })
  return untilAnswered(currentUser, isRefusal).finally(unsubscribe)
}

const renewIfOld = async () => {
  if (document.visibilityState === 'hidden' || !renewalDue(Date.now())) return
  // Record first, so that other tabs do not renew as well.
  recordRenewal(Date.now())
  if (!(await renewSession().catch(() => false))) scheduleRenewalRetry(Date.now())
}

function scheduleRenewals(): void {
  startRenewalClock(Date.now())
  void renewIfOld()
  setInterval(() => void renewIfOld(), 60_000)
  // Timers do not run while the device sleeps.
  document.addEventListener('visibilitychange', () => void renewIfOld())
}

/** Reloads the page in the account's language. Does nothing without storage: the next page would redirect back. */
function applyLanguage(language: Locale): void {
  if (rememberLanguage(language) && language !== pageLocale()) location.replace(inLanguage(location, language))
}

/** Reloads the page if the user has changed since it was loaded: it shows the data of that user, or a visitor's header. */
function watchUser(email: string | undefined): void {
  const leaveOtherUser = () => readHint()?.email !== email && reloadHidden()
  addEventListener('storage', () => $session.get().status === 'in' && leaveOtherUser())
  // A page in the back/forward cache receives no storage events, and may have signed out its user itself. No other page is
  // compared when it is shown: without storage, it would reload for ever.
  onRestored(leaveOtherUser)
}

async function start(): Promise<Session> {
  try {
    const user = await answeredUser()
    setSignedIn(user)
    scheduleRenewals()
    watchUser(user.email)
    applyLanguage(user.language)
  } catch (error) {
    if (error instanceof ApiError && error.status === 401 && readHint()) markEnded()
    setSignedOut()
    watchUser(undefined)
  }
  return $session.get()
}

/** Loads the signed-in user, once per page. */
export function startSession(): Promise<Session> {
  started ??= start()
  return started
}

/** Saves the language to the account, if a user is signed in. @throws ApiError */
export async function saveAccountLanguage(language: Locale): Promise<void> {
  await startSession()
  if ($session.get().status !== 'in') return
  await call(saveLanguage, { body: { language }, signal: AbortSignal.timeout(SAVE_WITHIN_MS) })
}

/** Returns the address of the login page that leads back to this page. */
const loginAndReturn = () => {
  const here = location.pathname + location.search + location.hash
  return `${localHref('/auth/login')}?next=${encodeURIComponent(here)}`
}

/** Returns the signed-in user, or redirects to the login page and returns undefined. */
export async function requireMember(): Promise<User | undefined> {
  const session = await startSession()
  if (session.status === 'in') return session.user
  location.replace(loginAndReturn())
  return undefined
}

/** Signs out on the server and in this browser, even if the server fails, and opens a login page. */
async function endSession(login: string, onEnded: () => void, ms: number): Promise<void> {
  const ended = await call(logout).then(
    () => true,
    () => false,
  )
  setSignedOut()
  removeSessionMark()
  if (ended) onEnded()
  else showToast('danger', translate()('common.session.logoutFailed'))
  setTimeout(() => location.assign(login), ended ? ms : 1000)
}

let signedOut: Promise<void> | undefined

/** Signs out at the user's request, once, and deletes unsent forms. */
export function signOut(): Promise<void> {
  forgetDrafts()
  signedOut ??= endSession(localHref('/auth/login'), () => {}, 0)
  return signedOut
}

handleSessionLost(() => {
  if ($session.get().status === 'out') return
  // Sign out first: other calls may fail at the same time.
  setSignedOut()
  markEnded()
  void endSession(loginAndReturn(), () => showToast('warning', translate()('common.session.ended')), 500)
})
