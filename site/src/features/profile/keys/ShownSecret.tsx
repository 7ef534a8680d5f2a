import { translate } from '../../../i18n/client.ts'
import { Button } from '../../../ui/Button.tsx'
import { KeptDialog } from '../../../ui/KeptDialog.tsx'
import { Notice } from '../../../ui/Notice.tsx'
import { CopyButton } from './CopyButton.tsx'

interface ShownSecretProps {
  /** Where the catalogue has its texts. */
  readonly texts: 'keys' | 'webhooks'
  readonly name: string
  readonly secret: string
  readonly onClose: () => void
}

/** Shows a new secret, once. */
export function ShownSecret({ texts, name, secret, onClose }: ShownSecretProps) {
  const t = translate()
  const foot = (
    <>
      <CopyButton text={secret} />
      <Button label={t(`${texts}.shown.done`)} variant="primary" onClick={onClose} />
    </>
  )
  return (
    <KeptDialog title={t(`${texts}.shown.title`)} size={600} foot={foot}>
      <Notice tone="warning">{t(`${texts}.shown.once`)}</Notice>
      <p className="stack">
        <span className="label">{t(`${texts}.shown.label`, { name })}</span>
        <code className="key-code key-shown rounded">{secret}</code>
      </p>
    </KeptDialog>
  )
}
