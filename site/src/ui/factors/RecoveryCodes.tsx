import { translate } from '../../i18n/client.ts'
import { Button } from '../Button.tsx'
import { KeptDialog } from '../KeptDialog.tsx'
import { useTextFile } from '../useTextFile.ts'

/** Shows new recovery codes, which cannot be shown again. */
export function RecoveryCodes({ codes, onClose }: { codes: readonly string[]; onClose: () => void }) {
  const t = translate()
  const file = useTextFile(`${codes.join('\n')}\n`, 'text/plain')
  const foot = (
    <>
      <a className="button button-outline" href={file} download="kinora-recovery-codes.txt">
        {t('profile.factors.download')}
      </a>
      <Button label={t('profile.factors.saved')} variant="primary" onClick={onClose} />
    </>
  )
  return (
    <KeptDialog title={t('profile.factors.codesTitle')} foot={foot}>
      <p>{t('profile.factors.codesLead')}</p>
      <ul className="factor-codes stack">
        {codes.map((code) => (
          <li key={code}>
            <code>{code}</code>
          </li>
        ))}
      </ul>
    </KeptDialog>
  )
}
