import type { Translate } from '../../../i18n/keys.ts'

/** Says how long a task will take, from the server's estimate: in steps of 5 seconds, or in minutes from 100 seconds. */
export function leftText(secondsLeft: number, t: Translate): string {
  if (secondsLeft >= 100) return t('workspace.queue.left', { count: Math.ceil(secondsLeft / 60) })
  return t('workspace.queue.leftSeconds', { count: Math.max(5, Math.ceil(secondsLeft / 5) * 5) })
}
