import { engines, login, logout, operatorFactors, passkeyLogin, secondFactor } from '#backend/operators/contract.ts'
import { type Answer, call } from '../../api/api.ts'
import { ApiError, ticketOf } from '../../api/apiError.ts'
import { provePasskey } from '../../api/factors/passkeys.ts'
import { leaveFor } from '../../api/pages/leaveFor.ts'
import { localHref, translate } from '../../i18n/client.ts'

/** How long a sign-in waits for the list of engines, ms. */
const ENGINES_MS = 3_000

async function enter({ success, message }: Answer<typeof login>): Promise<void> {
  if (success !== true) throw new ApiError(200, 'unknown', message)
  await leaveFor(localHref('/admin/dashboard') + (await wizardAnchor()))
}

/** Returns the anchor of the engine wizard at the first sign-in, unless there is an engine besides the demo. */
async function wizardAnchor(): Promise<string> {
  const signal = AbortSignal.timeout(ENGINES_MS)
  const found = await call(engines, { signal }).catch(() => undefined)
  return found?.data.demo && found.data.first_sign_in ? '#engines' : ''
}

/** Signs in the operator and opens the dashboard. Returns a ticket if there is a second factor. @throws ApiError */
export async function signInOperator(credentials: { username: string; password: string }): Promise<string | undefined> {
  try {
    await enter(await call(login, { body: credentials }))
  } catch (error) {
    if (error instanceof ApiError && error.code === 'second_factor_required') return ticketOf(error)
    throw error
  }
  return undefined
}

/** Finishes the operator's sign-in with a code of the second factor. @throws ApiError */
export const signInWithCode = async (ticket: string, code: string): Promise<void> =>
  enter(await call(secondFactor, { body: { ticket, code } }))

/** Signs in the operator with a passkey. @throws ApiError */
export const signInWithPasskey = async (): Promise<void> =>
  enter(await call(passkeyLogin, { body: { credential: await provePasskey(operatorFactors) } }))

/** Returns the message for a failed sign-in and, if known, the cause. */
export function signInFailure(error: unknown): { readonly text: string; readonly more?: string } {
  const t = translate()
  const { status, code, retryAfter } = error instanceof ApiError ? error : new ApiError(0, 'network')
  if (status === 0) return { text: t('dashboard.login.network') }
  if (status === 401 || code === 'invalid_credentials')
    return { text: t('dashboard.login.failed'), more: t('dashboard.login.refused') }
  if (status === 429) return { text: t('dashboard.login.failed'), more: waitText(retryAfter ?? 60) }
  return { text: t('dashboard.login.failed') }
}

const waitText = (seconds: number) =>
  seconds < 60
    ? translate()('dashboard.login.waitSeconds', { count: seconds })
    : translate()('dashboard.login.waitMinutes', { count: Math.ceil(seconds / 60) })

/** Signs out and opens the login page. On failure, logs the error and stays on the page. */
export async function signOutOperator(): Promise<void> {
  try {
    await call(logout)
  } catch (error) {
    console.error('operator sign-out failed', error)
    return
  }
  location.assign(localHref('/admin/dashboard/login'))
}
