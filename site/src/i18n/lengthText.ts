import type { Translate } from './keys.ts'

const two = (value: number) => String(value).padStart(2, '0')

/** Formats a duration: as seconds below a minute, `m:ss` below an hour, and `h:mm:ss` otherwise. */
export function lengthText(seconds: number, t: Translate): string {
  const whole = Math.round(seconds)
  if (whole < 60) return t('workspace.form.seconds', { count: whole })
  const [hours, minutes] = [Math.floor(whole / 3600), Math.floor(whole / 60) % 60]
  return hours > 0 ? `${hours}:${two(minutes)}:${two(whole % 60)}` : `${minutes}:${two(whole % 60)}`
}
