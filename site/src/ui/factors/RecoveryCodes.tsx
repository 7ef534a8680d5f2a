import { useEffect, useState } from 'react'
import { translate } from '../../i18n/client.ts'
import { Button } from '../Button.tsx'
import { Dialog } from '../Dialog.tsx'

/** Shows new recovery codes, which cannot be shown again. */
export function RecoveryCodes({ codes, onClose }: { codes: readonly string[]; onClose: () => void }) {
  const t = translate()
  const [file, setFile] = useState<string>()
  useEffect(() => {
    const address = URL.createObjectURL(new Blob([`${codes.join('\n')}\n`], { type: 'text/plain' }))
    setFile(address)
    return () => URL.revokeObjectURL(address)
  }, [codes])
  const foot = (
    <>
      <a className="button button-outline" href={file} download="kinora-recovery-codes.txt">
        {t('profile.factors.download')}
      </a>
      <Button label={t('profile.factors.saved')} variant="primary" onClick={onClose} />
    </>
  )
  return (
    <Dialog title={t('profile.factors.codesTitle')} onClose={onClose} foot={foot}>
      <p>{t('profile.factors.codesLead')}</p>
      <ul className="factor-codes stack">
        {codes.map((code) => (
          <li key={code}>
            <code>{code}</code>
          </li>
        ))}
      </ul>
    </Dialog>
  )
}
