import { atom } from 'nanostores'
import type * as z from 'zod/mini'
import {
  changePassword,
  deleteAccount,
  endOtherSessions,
  endSession,
  listSessions,
  mailDeletion,
  readPassword,
  type SessionView,
  saveName,
} from '#backend/accounts/contract.ts'
import { type PasswordForm, requestReset } from '../../api/account.ts'
import { call } from '../../api/api.ts'
import { ApiError } from '../../api/apiError.ts'
import { loadBalance } from '../../api/credits.ts'
import { forgetDrafts } from '../../api/draft.ts'
import { once } from '../../api/once.ts'
import { onRestored } from '../../api/pages/restored.ts'
import { loadPlan } from '../../api/plans/subscription.ts'
import { $session, requireMember, saveAccountLanguage, setSignedIn, setSignedOut } from '../../api/session.ts'
import { loadTeams } from '../../api/teams.ts'
import { loadLabelPolicy } from '../../api/videoLabel.ts'
import { localHref, pageLocale, translate } from '../../i18n/client.ts'
import type { Locale } from '../../i18n/core.ts'
import { inLanguage, languageSwitch, rememberLanguage } from '../../i18n/language.ts'
import { showToast } from '../../ui/toasts/toasts.ts'
import { movedPath, type Tab } from './accountTabs.ts'
import { creditHistory } from './creditHistory.ts'
import { invoiceList, loadBillingDetails } from './invoices.ts'
import { loadKeys, loadModels } from './keys/keys.ts'
import { securityLog } from './securityLog.ts'
import { loadSignIns } from './signIns.ts'
import { loadEndpoints } from './webhooks/webhooks.ts'
import { loadFigures, works } from './works.ts'

/** State of the page. `away` means that the browser is being redirected to the login page. */
export const $profile = atom<'loading' | 'open' | 'away' | 'deleted'>('loading')
/** Devices where the user is signed in, or null while loading. */
export const $devices = atom<readonly SessionView[] | 'failed' | null>(null)

/** Whether the account has a password, or null while loading. One that a mailed link made has none at first. */
export const $hasPassword = atom<boolean | 'failed' | null>(null)

export const loadPassword = (): Promise<void> =>
  call(readPassword).then(
    ({ set }) => $hasPassword.set(set),
    () => {
      if ($hasPassword.get() === null) $hasPassword.set('failed')
    },
  )

/** What each tab loads, and loads again when it is restored. */
const LOADS: Readonly<Record<Tab, readonly (() => Promise<unknown>)[]>> = {
  overview: [loadPlan, loadFigures, works.again, invoiceList.again, loadLabelPolicy],
  billing: [loadPlan, invoiceList.again, loadBillingDetails],
  // Whether the history has a column more is known before it is shown.
  credits: [loadBalance, () => loadTeams().then(creditHistory.again)],
  teams: [loadBalance, loadTeams],
  security: [loadBalance, securityLog.again, loadDevices, loadPassword, loadSignIns],
  developers: [loadBalance, loadKeys, loadModels, loadPassword, loadEndpoints, loadTeams],
  settings: [loadBalance, loadPassword],
}

/** Loads a tab, or redirects visitors to the login page. Runs once per page. */
export const openProfile = once(async (tab: Tab) => {
  const moved = tab === 'overview' ? movedPath(location) : undefined
  if (moved) return location.replace(localHref(moved))
  const user = await requireMember()
  $profile.set(user ? 'open' : 'away')
  if (!user) return
  const loadTab = () => Promise.all(LOADS[tab].map((load) => load()))
  onRestored(() => navigator.onLine && void loadTab())
  await loadTab()
})

export async function rename(username: string): Promise<void> {
  setSignedIn(await call(saveName, { body: { username } }))
}

/** Mails the user a link that sets the first password. */
export const mailPasswordLink = (): Promise<void> => {
  const session = $session.get()
  return session.status === 'in' ? requestReset(session.user.email).then(() => {}) : Promise.resolve()
}

export const setPassword = async ({ current_password, new_password }: z.output<typeof PasswordForm>): Promise<void> => {
  await call(changePassword, { body: { current_password, new_password } })
  await loadDevices()
}

export async function loadDevices(): Promise<void> {
  try {
    $devices.set((await call(listSessions)).sessions)
  } catch {
    if (!Array.isArray($devices.get())) $devices.set('failed')
  }
}

/** Returns the browser and system of a device in the page's language. */
export function deviceName({ browser, system }: Pick<SessionView, 'browser' | 'system'>): string {
  const t = translate()
  if (browser && system) return t('profile.devices.on', { browser, system })
  return browser ?? system ?? t('profile.devices.unknown')
}

/** Signs out the given device, or all other devices if omitted. */
export async function endDevices(device?: SessionView): Promise<void> {
  const t = translate()
  try {
    if (device) await call(endSession, { params: { id: device.id } })
    else await call(endOtherSessions)
    showToast('success', t(device ? 'profile.devices.ended' : 'profile.devices.othersEnded'))
  } catch {
    showToast('danger', t('profile.devices.endFailed'))
  }
  await loadDevices()
}

/** Saves the language to the account and opens the page in that language. Returns whether it was saved. */
export const chooseLanguage: (language: Locale) => Promise<boolean> = languageSwitch({
  save: saveAccountLanguage,
  remember: rememberLanguage,
  go: (language) => language !== pageLocale() && location.assign(inLanguage(location, language)),
  mark: () => {},
  failed: () => showToast('danger', translate()('common.session.languageFailed')),
})

type Proof = NonNullable<Parameters<typeof call<typeof deleteAccount>>[1]>['body'] & object

/**
 * Deletes the account and clears the user's data in this browser. Mails a link that confirms it where that is required.
 * @throws ApiError
 */
export async function eraseAccount(proof: Proof): Promise<'erased' | 'mailed'> {
  try {
    await call(deleteAccount, { body: proof })
  } catch (error) {
    if (!(error instanceof ApiError) || error.code !== 'mail_required') throw error
    await call(mailDeletion)
    return 'mailed'
  }
  setSignedOut()
  forgetDrafts()
  $profile.set('deleted')
  return 'erased'
}
