import { useState } from 'react'
import { translate } from '../../../i18n/client.ts'
import { Button } from '../../../ui/Button.tsx'
import { Dialog } from '../../../ui/Dialog.tsx'
import { Notice } from '../../../ui/Notice.tsx'
import { CopyButton } from './CopyButton.tsx'

interface ShownSecretProps {
  /** Where the catalogue has its texts. */
  readonly texts: 'keys' | 'webhooks'
  readonly name: string
  readonly secret: string
  readonly onClose: () => void
}

/** Shows a new secret, once. Only the button "Done" closes the dialog. */
export function ShownSecret({ texts, name, secret, onClose }: ShownSecretProps) {
  const t = translate()
  const [round, setRound] = useState(0)
  const foot = (
    <>
      <CopyButton text={secret} />
      <Button label={t(`${texts}.shown.done`)} variant="primary" onClick={onClose} />
    </>
  )
  return (
    // Opens again if the browser closes it, as the back gesture of a phone does.
    <Dialog
      key={round}
      title={t(`${texts}.shown.title`)}
      size={600}
      busy
      onClose={() => setRound(round + 1)}
      foot={foot}
    >
      <Notice tone="warning">{t(`${texts}.shown.once`)}</Notice>
      <p className="stack">
        <span className="label">{t(`${texts}.shown.label`, { name })}</span>
        <code className="key-code key-shown rounded">{secret}</code>
      </p>
    </Dialog>
  )
}
