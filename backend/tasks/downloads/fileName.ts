import { trimEnd } from '../../kernel/trimEnd.ts'

/** Device names that Windows reserves, with or without an extension. */
const DEVICE = /^(con|prn|aux|nul|com\d|lpt\d)(\.|$)/i

/** Builds a safe file name from the first 20 code points of the prompt, without bidirectional control characters. */
export function fileName(prompt: string): string {
  const start = [...prompt].slice(0, 20).join('')
  const words = start
    .replace(/\p{Bidi_Control}+/gu, '')
    .replace(/[\p{Cc}\p{Zl}\p{Zp}<>:"/\\|?*]+/gu, ' ')
    .replace(/^[. ]+/, '')
  const safe = trimEnd(words, '. ')
  return `${safe || 'kinora'}${DEVICE.test(safe) ? '_' : ''}.mp4`
}
