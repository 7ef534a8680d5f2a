import { atom } from 'nanostores'
import * as z from 'zod/mini'
import {
  chooseMail,
  PushSubscription,
  readNotices,
  subscribePush,
  unsubscribePush,
} from '#backend/accounts/contract.ts'
import { call } from '../../../api/api.ts'
import { errorText } from '../../../api/errorText.ts'
import { registerWorker } from '../../../api/notices/worker.ts'
import { translate } from '../../../i18n/client.ts'
import { showToast } from '../../../ui/toasts/toasts.ts'

interface Notices {
  readonly push: boolean
  readonly mail: boolean
  readonly pushKey: string
}

/** How the user is notified that a video is done; null while unknown. */
export const $notices = atom<Notices | null>(null)

export const canPush = (): boolean => 'serviceWorker' in navigator && 'PushManager' in window
/** Whether the user or the browser refuses the notifications of this site. */
export const isBlocked = (): boolean => canPush() && Notification.permission === 'denied'

/** Changes one of the settings. The other one can have changed while the server or the user was asked. */
const change = (part: Partial<Notices>) => {
  const now = $notices.get()
  if (now) $notices.set({ ...now, ...part })
}

export async function loadNotices(): Promise<void> {
  const { push, mail, push_key } = await call(readNotices)
  $notices.set({ push, mail, pushKey: push_key })
}

const WORKER_WITHIN_MS = 10_000

/** Starts the service worker. @throws Error it is not installed in time: `ready` never rejects */
async function startWorker(): Promise<ServiceWorkerRegistration> {
  await registerWorker()
  const late = new Promise<never>((_, reject) => setTimeout(reject, WORKER_WITHIN_MS, new Error('late')))
  return Promise.race([navigator.serviceWorker.ready, late])
}

/** Subscribes this browser. @throws Error it refuses, or has no push service */
async function subscribe(pushKey: string): Promise<void> {
  if ((await Notification.requestPermission()) !== 'granted') throw new Error('denied')
  const { pushManager } = await startWorker()
  // A subscription belongs to a key, and the key of an installation can change.
  await (await pushManager.getSubscription())?.unsubscribe()
  const made = await pushManager.subscribe({ userVisibleOnly: true, applicationServerKey: pushKey })
  await call(subscribePush, { body: z.parse(PushSubscription, made.toJSON()) })
}

/** Starts or ends the push messages to this browser. */
export async function setPush(on: boolean): Promise<void> {
  const before = $notices.get()
  if (!before) return
  try {
    if (on) await subscribe(before.pushKey)
    else await call(unsubscribePush)
    change({ push: on })
  } catch {
    showToast('danger', translate()('profile.notices.pushFailed'))
  }
}

let isSendingMail = false

/** Starts or ends the mails. Does nothing while an earlier change is on its way, which could arrive after this one. */
export async function setMail(on: boolean): Promise<void> {
  const before = $notices.get()
  if (!before || isSendingMail) return
  isSendingMail = true
  change({ mail: on })
  try {
    await call(chooseMail, { body: { on } })
  } catch (error) {
    change({ mail: before.mail })
    showToast('danger', errorText(error))
  } finally {
    isSendingMail = false
  }
}
