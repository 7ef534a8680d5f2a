import { useState } from 'react'
import type { Task } from '#backend/tasks/contract.ts'
import { errorText } from '../../api/errorText.ts'
import { downloadUnlabelled } from '../../api/videoLabel.ts'
import { translate } from '../../i18n/client.ts'
import { Button } from '../Button.tsx'
import { Dialog } from '../Dialog.tsx'
import { showToast } from '../toasts/toasts.ts'
import { useBusy } from '../useBusy.ts'

/** Says that downloads have a label, and offers one without it to users who accept the responsibility. */
export function UnlabelledDownload({ task }: { task: Task }) {
  const t = translate()
  const [asking, setAsking] = useState(false)
  const [busy, run] = useBusy()
  const accept = () =>
    run(async () => {
      try {
        await downloadUnlabelled(task)
        setAsking(false)
      } catch (error) {
        showToast('danger', errorText(error))
      }
    })
  const foot = (
    <>
      <Button label={t('common.action.cancel')} onClick={() => setAsking(false)} />
      <Button label={t('workspace.label.accept')} variant="primary" busy={busy} onClick={accept} />
    </>
  )
  return (
    <>
      <p className="row hint">
        <span>{t('workspace.label.downloads')}</span>
        <Button label={t('workspace.label.without')} variant="outline" onClick={() => setAsking(true)} />
      </p>
      {asking && (
        <Dialog title={t('workspace.label.title')} onClose={() => setAsking(false)} foot={foot}>
          <p>{t('workspace.label.text')}</p>
          <p className="muted">{t('workspace.label.record')}</p>
        </Dialog>
      )}
    </>
  )
}
