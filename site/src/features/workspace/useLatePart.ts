import { useState } from 'react'
import { translate } from '../../i18n/client.ts'
import { loadTexts } from '../../i18n/lateTexts.ts'
import { showToast } from '../../ui/toasts/toasts.ts'
import { useBusy } from '../../ui/useBusy.ts'

/** Offers to reload the page. After a release, the files that an open page still loads are gone. */
function offerReload(): void {
  const t = translate()
  const link = { href: location.pathname + location.search, label: t('common.action.reload') }
  showToast('danger', t('common.partMissing'), { ms: 20_000, link })
}

/** Loads the code of a dialog when it is opened. `part` is undefined while the dialog is closed. */
export function useLatePart<T>(load: () => Promise<T>) {
  const [part, setPart] = useState<T>()
  const [busy, run] = useBusy()
  const open = () => run(() => Promise.all([load(), loadTexts()]).then(([loaded]) => setPart(loaded), offerReload))
  return { part, busy, open, close: () => setPart(undefined) }
}
