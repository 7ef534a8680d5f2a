import { atom } from 'nanostores'
import { type RealtimeMessage, SOCKET_UNAUTHENTICATED, socketToken } from '#backend/tasks/contract.ts'
import { addressOf, call, renewSession } from '../../api/api.ts'
import { setCredits } from '../../api/credits.ts'
import { liveSocket } from '../../api/socket.ts'
import { translate } from '../../i18n/client.ts'
import { showToast } from '../../ui/toasts/toasts.ts'
import { $teamBalance } from './pay/payer.ts'
import { applyUpdate, dropTask } from './tasks.ts'

export const $connected = atom(false)
/** True while no socket has been open for some seconds: the page knows only what it asks for. */
export const $polling = atom(false)

const POLLING_AFTER_MS = 5_000
let late: ReturnType<typeof setTimeout> | undefined

function setConnected(connected: boolean): void {
  clearTimeout(late)
  $connected.set(connected)
  if (connected) $polling.set(false)
  else late = setTimeout(() => $polling.set(true), POLLING_AFTER_MS)
}

let end: (() => void) | undefined

const TONES = { info: 'info', warning: 'warning', error: 'danger' } as const

function handleMessage(message: RealtimeMessage): void {
  if (message.type === 'task_update') applyUpdate(message.task)
  else if (message.type === 'task_deleted') dropTask(message.id)
  else if (message.type === 'credits_update') setCredits(message.remaining, message.total)
  else if (message.type === 'team_credits_update') $teamBalance.set(message)
  else if (message.type === 'notification') showToast(TONES[message.level] ?? 'info', message.message)
}

async function socketAddress(): Promise<string> {
  const { token } = await call(socketToken)
  const url = new URL(addressOf('/ws', {}, { token }), location.href)
  url.protocol = url.protocol === 'https:' ? 'wss:' : 'ws:'
  return url.href
}

function giveUp(why: 'refused' | 'lost'): void {
  end?.()
  end = undefined
  // It is opened again when the browser is back online.
  if (!navigator.onLine) return
  showToast('warning', translate()(why === 'refused' ? 'workspace.realtime.refused' : 'workspace.realtime.lost'))
  if (why === 'refused') void renewSession().catch(() => {})
}

/** Opens the socket unless one is already open or connecting. */
export function connectRealtime(): void {
  if (end) return
  setConnected(false)
  end = liveSocket({
    address: socketAddress,
    open: (address) => new WebSocket(address),
    onMessage: (message) => handleMessage(message as RealtimeMessage),
    onChange: setConnected,
    onGiveUp: giveUp,
    refusedCode: SOCKET_UNAUTHENTICATED,
  })
}

/** Replaces the socket of a connection that the browser has lost: it can look open for a minute and a half. */
export function reconnectRealtime(): void {
  end?.()
  end = undefined
  connectRealtime()
}
