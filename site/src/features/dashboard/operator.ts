import { login, logout } from '#backend/operators/contract.ts'
import { call } from '../../api/api.ts'
import { ApiError } from '../../api/apiError.ts'
import { localHref, translate } from '../../i18n/client.ts'

/** Signs in the operator and opens the dashboard. @throws ApiError */
export async function signInOperator(credentials: { username: string; password: string }): Promise<void> {
  const { success, message } = await call(login, { body: credentials })
  if (success !== true) throw new ApiError(200, 'unknown', message)
  location.assign(localHref('/admin/dashboard'))
}

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
