import { useId, useState } from 'react'
import { userFactors } from '#backend/accounts/contract.ts'
import type { ApiKey } from '#backend/apiKeys/contract.ts'
import { modelNamed } from '../../../api/models.ts'
import { pageLocale, translate } from '../../../i18n/client.ts'
import { HTML_LANG } from '../../../i18n/core.ts'
import { dayText } from '../../../i18n/dayText.ts'
import { timeAgo } from '../../../i18n/timeAgo.ts'
import { Button } from '../../../ui/Button.tsx'
import { Choices } from '../../../ui/Choices.tsx'
import { ConfirmDialog } from '../../../ui/ConfirmDialog.tsx'
import { Dialog } from '../../../ui/Dialog.tsx'
import { Facts } from '../../../ui/Facts.tsx'
import { FormProblem } from '../../../ui/FormProblem.tsx'
import { FormFoot } from '../../../ui/factors/FormFoot.tsx'
import { useStepUp } from '../../../ui/factors/useStepUp.tsx'
import { useBusy } from '../../../ui/useBusy.ts'
import { useForm } from '../../../ui/useForm.ts'
import { Spent } from '../Meter.tsx'
import { KeyProof, proofText } from './KeyProof.tsx'
import { RotationForm } from './keyForm.ts'
import { expiresSoon, hintOf, type MadeKey, replaceKey, stopKey } from './keys.ts'

const HOURS = { now: 0, day: 24, week: 168 } as const

interface KeyCardProps {
  readonly apiKey: ApiKey
  readonly onMade: (made: MadeKey) => void
}

/** Shows a key with what it may do and has spent, and replaces or ends it. */
export function KeyCard({ apiKey, onMade }: KeyCardProps) {
  const t = translate()
  const [asking, setAsking] = useState<'rotate' | 'end'>()
  const [busy, run] = useBusy()
  const named = { name: apiKey.name, hint: hintOf(apiKey) }
  const close = () => setAsking(undefined)
  const onRotated = (made: MadeKey) => {
    close()
    onMade(made)
  }
  return (
    <li className="stack stack-wide card profile-card" data-key={apiKey.id}>
      <div className="row spread">
        <div className="row min-0">
          <h3 className="anywhere">{apiKey.name}</h3>
          <code className="hint">{hintOf(apiKey)}</code>
          {expiresSoon(apiKey, Date.now()) && (
            <span className="badge" data-tone="warning">
              {t('keys.soon')}
            </span>
          )}
        </div>
        <div className="row key-actions">
          <Button
            label={t('keys.rotate')}
            variant="quiet"
            aria-label={t('keys.rotateOf', named)}
            onClick={() => setAsking('rotate')}
          />
          <Button
            label={t('keys.end')}
            variant="quiet"
            busy={busy}
            aria-label={t('keys.endOf', named)}
            onClick={() => setAsking('end')}
          />
        </div>
      </div>
      <Scopes apiKey={apiKey} />
      <div className="key-limits">
        <Spent label={t('keys.today')} used={apiKey.spent_today} limit={apiKey.credits_per_day} />
        <Spent label={t('keys.month')} used={apiKey.spent_this_month} limit={apiKey.credits_per_month} />
      </div>
      <Facts className="key-facts" facts={factsOf(apiKey)} />
      {asking === 'rotate' && <RotateKey apiKey={apiKey} onClose={close} onMade={onRotated} />}
      {asking === 'end' && (
        <ConfirmDialog
          title={t('keys.ending.title', named)}
          confirm={t('keys.ending.confirm')}
          onConfirm={() => void run(() => stopKey(apiKey))}
          onClose={close}
        >
          <p>{t('keys.ending.text', named)}</p>
        </ConfirmDialog>
      )}
    </li>
  )
}

export const Scopes = ({ apiKey }: { apiKey: ApiKey }) => (
  <ul className="row">
    {apiKey.scopes.map((scope) => (
      <li className="badge badge-plain key-scope" key={scope}>
        {translate()(`keys.scope.${scope}`)}
      </li>
    ))}
  </ul>
)

/** Formats the end of a key, to the minute if it is near. */
function expiryText(iso: string, isSoon: boolean): string {
  if (!isSoon) return dayText(iso, 'medium')
  const time = new Intl.DateTimeFormat(HTML_LANG[pageLocale()], { dateStyle: 'medium', timeStyle: 'short' })
  return time.format(Date.parse(iso))
}

/** Returns when a key was made, expires and was used, and its limits. */
export function factsOf(key: ApiKey) {
  const t = translate()
  const { expires_at, last_used_at, last_network, models, networks, team } = key
  const used =
    last_used_at && [timeAgo(last_used_at, Date.now(), t, pageLocale()), last_network].filter(Boolean).join(' · ')
  const names = models?.map((id) => modelNamed(id)?.names[pageLocale()] ?? id)
  return [
    ...(team ? [[t('keys.payer'), team.name] as const] : []),
    [t('keys.made'), dayText(key.created_at, 'medium')],
    [
      t(key.client ? 'keys.connections.expiry' : 'keys.expiry'),
      expires_at ? expiryText(expires_at, expiresSoon(key, Date.now())) : t('keys.never'),
    ],
    [t('keys.used'), used ?? t('keys.unused')],
    ...(names ? [[t('keys.models'), names.join(', ')] as const] : []),
    ...(networks ? [[t('keys.networks'), networks.join(', ')] as const] : []),
  ] as const
}

interface RotateKeyProps extends KeyCardProps {
  readonly onClose: () => void
}

function RotateKey({ apiKey, onClose, onMade }: RotateKeyProps) {
  const t = translate()
  const id = useId()
  const [overlap, setOverlap] = useState<keyof typeof HOURS>('day')
  const { guard, dialog } = useStepUp(userFactors)
  const { form, field, problem, busy, ready } = useForm(RotationForm, async (rotation) =>
    onMade(await guard(() => replaceKey(apiKey, rotation))),
  )
  const named = { name: apiKey.name, hint: hintOf(apiKey) }
  const options = (['now', 'day', 'week'] as const).map((value) => ({ value, label: t(`keys.rotation.${value}`) }))
  const foot = <FormFoot form={id} submit={t('keys.rotation.submit')} busy={busy} ready={ready} onClose={onClose} />
  return (
    <Dialog title={t('keys.rotation.title', named)} busy={busy} onClose={onClose} foot={foot}>
      <p>{t('keys.rotation.text', named)}</p>
      <form className="stack stack-wide" id={id} {...form}>
        <FormProblem text={proofText(problem)} />
        <Choices label={t('keys.rotation.overlap')} value={overlap} options={options} onChange={setOverlap} />
        <input type="hidden" name="overlap_hours" value={HOURS[overlap]} />
        <KeyProof {...field('password')} />
      </form>
      {dialog}
    </Dialog>
  )
}
