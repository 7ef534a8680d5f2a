/** Reports network changes on narrow screens. */
import { translate } from '../../i18n/client.ts'
import { closeIcon } from '../../ui/closeIcon.ts'

const HIDE_MS = 3_000

type Kind = 'offline' | '2g' | '3g' | '4g' | 'connected'
const TONE: Readonly<Record<Kind, string>> = {
  offline: 'danger',
  '2g': 'warning',
  '3g': 'success',
  '4g': 'success',
  connected: 'success',
}

/** The Network Information API, which only some browsers support. */
interface Connection extends EventTarget {
  readonly effectiveType?: string
}
const connection = (navigator as { connection?: Connection }).connection

const speed = (): Kind => {
  const type = connection?.effectiveType ?? ''
  if (type.endsWith('2g')) return '2g'
  return type === '3g' || type === '4g' ? type : 'connected'
}

let hiding: ReturnType<typeof setTimeout> | undefined

function show(box: HTMLElement, kind: Kind): void {
  clearTimeout(hiding)
  const line = document.createElement('div')
  line.className = 'line network-line'
  line.dataset.tone = TONE[kind]
  const text = document.createElement('p')
  text.textContent = translate()(`common.network.${kind}`)
  line.append(text)
  box.replaceChildren(line)
  // The offline message stays until the connection is restored.
  if (kind === 'offline') return
  const close = document.createElement('button')
  close.type = 'button'
  close.className = 'icon-button'
  close.ariaLabel = box.dataset.close ?? ''
  close.append(closeIcon())
  close.addEventListener('click', () => box.replaceChildren())
  line.append(close)
  hiding = setTimeout(() => box.replaceChildren(), HIDE_MS)
}

export function watchNetwork(): void {
  const box = document.getElementById('network')
  if (!box) return
  addEventListener('offline', () => show(box, 'offline'))
  addEventListener('online', () => show(box, speed()))
  // The connection speed can change without an `online` or `offline` event.
  let last = speed()
  connection?.addEventListener('change', () => {
    const now = speed()
    if (navigator.onLine && now === '2g' && last !== '2g') show(box, now)
    last = now
    if (now === '2g') document.documentElement.dataset.motion = 'calm'
  })
}
