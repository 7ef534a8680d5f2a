import { errorText } from '../../api/errorText.ts'
import { translate } from '../../i18n/client.ts'
import { Button } from '../../ui/Button.tsx'
import { showToast } from '../../ui/toasts/toasts.ts'
import { useBusy } from '../../ui/useBusy.ts'

async function download(): Promise<void> {
  const { readOwnData } = await import('./ownData.ts')
  const text = JSON.stringify(await readOwnData(), null, 2)
  const link = document.createElement('a')
  link.href = URL.createObjectURL(new Blob([text], { type: 'application/json' }))
  link.download = 'my-kinora-data.json'
  link.click()
  // Not before the browser has read it.
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000)
}

/** Downloads what the account holds. */
export function DownloadData() {
  const t = translate()
  const [busy, run] = useBusy()
  const onClick = () => run(() => download().catch((error) => showToast('danger', errorText(error))))
  return (
    <div className="stack stack-wide card profile-card" id="own-data">
      <h3>{t('profile.data.heading')}</h3>
      <p className="muted">{t('profile.data.lead')}</p>
      <div className="row row-wide">
        <Button label={t('profile.data.download')} variant="outline" icon="download" busy={busy} onClick={onClick} />
      </div>
    </div>
  )
}
