import { useStore } from '@nanostores/react'
import type { SessionView } from '#backend/accounts/contract.ts'
import { pageLocale, translate } from '../../i18n/client.ts'
import { timeAgo } from '../../i18n/timeAgo.ts'
import { Button } from '../../ui/Button.tsx'
import { keepFocus } from '../../ui/lists/keepFocus.ts'
import { RetryNotice } from '../../ui/RetryNotice.tsx'
import { useBusy } from '../../ui/useBusy.ts'
import { $devices, deviceName, endDevices, loadDevices } from './profile.ts'

/** Lists the devices where the user is signed in. */
export function Devices() {
  const t = translate()
  const devices = useStore($devices)
  const [busy, run] = useBusy()
  return (
    <div className="stack stack-wide card profile-card" id="devices">
      <h3>{t('profile.devices.heading')}</h3>
      <p className="muted">{t('profile.devices.lead')}</p>
      {devices === null && <div className="skeleton profile-device-skeleton" aria-busy="true" />}
      {devices === 'failed' && <RetryNotice tone="danger" text={t('profile.devices.failed')} onRetry={loadDevices} />}
      {Array.isArray(devices) && (
        <ul ref={keepFocus}>
          {devices.map((device) => (
            <Device key={device.id} device={device} />
          ))}
        </ul>
      )}
      {Array.isArray(devices) && devices.length > 1 && (
        <div className="row row-wide" ref={keepFocus}>
          <Button variant="outline" busy={busy} onClick={() => run(endDevices)}>
            {t('profile.devices.endOthers')}
          </Button>
        </div>
      )}
    </div>
  )
}

function Device({ device }: { device: SessionView }) {
  const t = translate()
  const [busy, run] = useBusy()
  const name = deviceName(device)
  const time = timeAgo(device.last_used_at, Date.now(), t, pageLocale())
  return (
    <li className="line spread profile-device">
      <div>
        <strong>{name}</strong>
        <p className="hint">{t('profile.devices.used', { time })}</p>
      </div>
      {device.current ? (
        <span className="badge" data-tone="success">
          {t('profile.devices.this')}
        </span>
      ) : (
        <Button
          label={t('profile.devices.end')}
          variant="quiet"
          busy={busy}
          onClick={() => run(() => endDevices(device))}
          aria-label={t('profile.devices.endOf', { device: name })}
        />
      )}
    </li>
  )
}
