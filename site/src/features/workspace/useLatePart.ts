import { useState } from 'react'
import { loadTexts } from '../../i18n/lateTexts.ts'
import { offerReload } from '../../ui/toasts/offerReload.ts'
import { useBusy } from '../../ui/useBusy.ts'

/** Loads the code of a dialog when it is opened. `part` is undefined while the dialog is closed. */
export function useLatePart<T>(load: () => Promise<T>) {
  const [part, setPart] = useState<T>()
  const [busy, run] = useBusy()
  const open = () => run(() => Promise.all([load(), loadTexts()]).then(([loaded]) => setPart(loaded), offerReload))
  return { part, busy, open, close: () => setPart(undefined) }
}
