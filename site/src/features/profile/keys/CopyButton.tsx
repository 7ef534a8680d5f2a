import { translate } from '../../../i18n/client.ts'
import { Button } from '../../../ui/Button.tsx'
import { showToast } from '../../../ui/toasts/toasts.ts'

/** Copies a text. The user copies it where the browser does not allow that. */
export function CopyButton({ text }: { text: string }) {
  const t = translate()
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(text)
      showToast('success', t('keys.copied'))
    } catch {
      showToast('info', t('keys.copyFailed'))
    }
  }
  return <Button label={t('keys.copy')} variant="outline" onClick={() => void copy()} />
}
