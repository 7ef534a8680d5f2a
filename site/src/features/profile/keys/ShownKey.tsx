import { useState } from 'react'
import { translate } from '../../../i18n/client.ts'
import { Button } from '../../../ui/Button.tsx'
import { Dialog } from '../../../ui/Dialog.tsx'
import { Notice } from '../../../ui/Notice.tsx'
import { CopyButton } from './CopyButton.tsx'
import type { MadeKey } from './keys.ts'

/** Shows a new key, once. Only the button "Done" closes the dialog. */
export function ShownKey({ made, onClose }: { made: MadeKey; onClose: () => void }) {
  const t = translate()
  const [round, setRound] = useState(0)
  const foot = (
    <>
      <CopyButton text={made.key} />
      <Button label={t('keys.shown.done')} variant="primary" onClick={onClose} />
    </>
  )
  return (
    // Opens again if the browser closes it, as the back gesture of a phone does.
    <Dialog key={round} title={t('keys.shown.title')} size={600} busy onClose={() => setRound(round + 1)} foot={foot}>
      <Notice tone="warning">{t('keys.shown.once')}</Notice>
      <p className="stack">
        <span className="label">{t('keys.shown.label', { name: made.name })}</span>
        <code className="key-code key-shown rounded">{made.key}</code>
      </p>
    </Dialog>
  )
}
