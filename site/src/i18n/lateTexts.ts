import { messagesOf, pageLocale } from './client.ts'

let late: Promise<void> | undefined
/** Loads the texts that a page with `lateTexts` does not embed. Without them, errors have the server's words. */
export function loadTexts(): Promise<void> {
  if (typeof document === 'undefined' || document.getElementById('messages')?.dataset.more === undefined)
    return Promise.resolve()
  const load = () => (pageLocale() === 'zh' ? import('./late/zh.ts') : import('./late/en.ts'))
  late ??= load().then(
    ({ texts }) => void Object.assign(messagesOf(pageLocale()), texts),
    () => {
      late = undefined
    },
  )
  return late
}
