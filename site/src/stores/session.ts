import { atom } from 'nanostores'
import { logout, me, type User } from '#backend/accounts/contract.ts'
import { localHref, translate } from '../i18n/client.ts'
import { call, renewSession, whenSessionLost } from '../lib/api.ts'
import { ApiError } from '../lib/apiError.ts'
import { displayName, readHint, writeHint } from '../lib/hint.ts'
import { $credits } from './credits.ts'
import { showToast } from './toasts.ts'

export type Session =
  | { readonly status: 'loading' }
  | { readonly status: 'in'; readonly user: User }
  | { readonly status: 'out' }

export const $session = atom<Session>({ status: 'loading' })

const RENEW_EVERY_MS = 7 * 60 * 60 * 1000
let renewedAt = 0
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
    if (error instanceof ApiError && error.status === 401 && (await renewSession())) return call(me)
    throw error
  }
}

const renewIfOld = () => {
  if (document.visibilityState === 'hidden' || Date.now() - renewedAt < RENEW_EVERY_MS) return
  renewedAt = Date.now()
  void renewSession()
}

function keepAlive(): void {
  renewedAt = Date.now()
  setInterval(renewIfOld, 60_000)
  // A device that slept missed its timer: it renews as soon as somebody looks at it again.
  document.addEventListener('visibilitychange', renewIfOld)
}

async function start(): Promise<Session> {
  try {
    enter(await currentUser())
    keepAlive()
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

const goToLogin = (ms: number) => setTimeout(() => location.assign(localHref('/auth/login')), ms)

/** Signs out here and on the server, and goes to the login page. */
export async function signOut(): Promise<void> {
  try {
    await call(logout)
    leave()
    goToLogin(0)
  } catch {
    leave()
    showToast('danger', translate()('common.session.logoutFailed'))
    goToLogin(1000)
  }
}

whenSessionLost(() => {
  if ($session.get().status === 'out') return
  leave()
  showToast('warning', translate()('common.session.ended'))
  goToLogin(500)
})
