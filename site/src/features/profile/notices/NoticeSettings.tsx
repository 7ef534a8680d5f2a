import { useStore } from '@nanostores/react'
import { useCallback, useEffect, useState } from 'react'
import { translate } from '../../../i18n/client.ts'
import { RetryNotice } from '../../../ui/RetryNotice.tsx'
import { SwitchField } from '../../../ui/SwitchField.tsx'
import { useBusy } from '../../../ui/useBusy.ts'
import { $notices, canPush, isBlocked, loadNotices, setMail, setPush } from './notices.ts'

const pushHint = () => (isBlocked() ? 'pushBlocked' : canPush() ? 'pushHint' : 'pushMissing')

/** Chooses how the user is notified that a video is done. */
export function NoticeSettings() {
  const t = translate()
  const notices = useStore($notices)
  const [busy, run] = useBusy()
  const [failed, setFailed] = useState(false)
  const load = useCallback(
    () =>
      loadNotices().then(
        () => setFailed(false),
        () => setFailed(true),
      ),
    [],
  )
  useEffect(() => void load(), [load])
  return (
    <div className="stack stack-wide card profile-card" id="notices" aria-busy={busy}>
      <h3>{t('profile.notices.heading')}</h3>
      <p className="muted">{t('profile.notices.lead')}</p>
      {failed && <RetryNotice tone="danger" text={t('profile.notices.failed')} onRetry={load} />}
      <SwitchField
        id="notice-push"
        label={t('profile.notices.push')}
        hint={t(`profile.notices.${pushHint()}`)}
        on={notices?.push === true && !isBlocked()}
        disabled={!notices || !canPush() || isBlocked()}
        // Not disabled while busy, because that would drop the focus.
        onChange={(on) => busy || void run(() => setPush(on))}
      />
      <SwitchField
        id="notice-mail"
        label={t('profile.notices.mail')}
        hint={t('profile.notices.mailHint')}
        on={notices?.mail ?? false}
        disabled={!notices}
        onChange={(on) => void setMail(on)}
      />
    </div>
  )
}
