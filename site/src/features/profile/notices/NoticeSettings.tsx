import { useStore } from '@nanostores/react'
import { useEffect } from 'react'
import { translate } from '../../../i18n/client.ts'
import { SwitchField } from '../../../ui/SwitchField.tsx'
import { useBusy } from '../../../ui/useBusy.ts'
import { $notices, canPush, isBlocked, loadNotices, setMail, setPush } from './notices.ts'

const pushHint = () => (isBlocked() ? 'pushBlocked' : canPush() ? 'pushHint' : 'pushMissing')

/** Chooses how the user is told that a video is done. */
export function NoticeSettings() {
  const t = translate()
  const notices = useStore($notices)
  const [busy, run] = useBusy()
  useEffect(() => void loadNotices().catch(() => {}), [])
  return (
    <div className="stack stack-wide card profile-card" id="notices" aria-busy={busy}>
      <h3>{t('profile.notices.heading')}</h3>
      <p className="muted">{t('profile.notices.lead')}</p>
      <SwitchField
        id="notice-push"
        label={t('profile.notices.push')}
        hint={t(`profile.notices.${pushHint()}`)}
        on={notices?.push === true && !isBlocked()}
        disabled={!notices || busy || !canPush() || isBlocked()}
        onChange={(on) => void run(() => setPush(on))}
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
