import { useId, useState } from 'react'
import * as z from 'zod/mini'
import type { WebhookEndpoint } from '#backend/webhooks/contract.ts'
import { errorText } from '../../../api/errorText.ts'
import { translate } from '../../../i18n/client.ts'
import { dayText } from '../../../i18n/dayText.ts'
import { Button } from '../../../ui/Button.tsx'
import { Choices } from '../../../ui/Choices.tsx'
import { ConfirmDialog } from '../../../ui/ConfirmDialog.tsx'
import { Dialog } from '../../../ui/Dialog.tsx'
import { Facts } from '../../../ui/Facts.tsx'
import { FormProblem } from '../../../ui/FormProblem.tsx'
import { FormFoot } from '../../../ui/factors/FormFoot.tsx'
import { useBusy } from '../../../ui/useBusy.ts'
import { useForm } from '../../../ui/useForm.ts'
import { Deliveries } from './Deliveries.tsx'
import { EditEndpoint } from './EditEndpoint.tsx'
import { typeName } from './typeName.ts'
import { deleteEndpoint, type MadeEndpoint, rotateSecret, switchEndpoint, testEndpoint } from './webhooks.ts'

type Action = 'edit' | 'rotate' | 'delete' | 'deliveries'

interface EndpointCardProps {
  readonly endpoint: WebhookEndpoint
  readonly onMade: (made: MadeEndpoint) => void
}

/** Shows an endpoint, what was sent to it, and its actions. */
export function EndpointCard({ endpoint, onMade }: EndpointCardProps) {
  const t = translate()
  const [asking, setAsking] = useState<Action>()
  const [testing, runTest] = useBusy()
  const [busy, run] = useBusy()
  const { name } = endpoint
  const close = () => setAsking(undefined)
  const button = (action: string, onClick: () => void, isBusy = false) => (
    <Button
      label={action}
      variant="quiet"
      busy={isBusy}
      aria-label={t('webhooks.actions', { action, name })}
      onClick={onClick}
    />
  )
  return (
    <li className="stack stack-wide card profile-card" data-endpoint={endpoint.id}>
      <div className="stack gap-1">
        <div className="row">
          <h3 className="anywhere">{name}</h3>
          <State endpoint={endpoint} />
        </div>
        <code className="hint anywhere">{endpoint.url}</code>
      </div>
      <ul className="row">
        {endpoint.event_types.map((type) => (
          <li className="badge badge-plain key-scope" key={type}>
            {typeName(type)}
          </li>
        ))}
      </ul>
      <Facts className="key-facts" facts={factsOf(endpoint)} />
      <div className="row key-actions">
        {button(t('webhooks.deliveries.open'), () => setAsking('deliveries'))}
        {button(t('webhooks.test'), () => void runTest(() => testEndpoint(endpoint)), testing)}
        {button(t('webhooks.edit'), () => setAsking('edit'))}
        {button(t('webhooks.rotate'), () => setAsking('rotate'))}
        {button(
          t(endpoint.enabled ? 'webhooks.switchOff' : 'webhooks.switchOn'),
          () => void run(() => switchEndpoint(endpoint)),
          busy,
        )}
        {button(t('webhooks.delete'), () => setAsking('delete'))}
      </div>
      {asking === 'edit' && <EditEndpoint endpoint={endpoint} onClose={close} />}
      {asking === 'deliveries' && <Deliveries endpoint={endpoint} onClose={close} />}
      {asking === 'rotate' && (
        <RotateSecret
          endpoint={endpoint}
          onClose={close}
          onMade={(made) => {
            close()
            onMade(made)
          }}
        />
      )}
      {asking === 'delete' && (
        <ConfirmDialog
          title={t('webhooks.deleting.title', { name })}
          confirm={t('webhooks.deleting.confirm')}
          onConfirm={() => void run(() => deleteEndpoint(endpoint))}
          onClose={close}
        >
          <p>{t('webhooks.deleting.text')}</p>
        </ConfirmDialog>
      )}
    </li>
  )
}

function State({ endpoint: { disabled_because: cause, failing_since } }: { endpoint: WebhookEndpoint }) {
  const t = translate()
  const [tone, text] =
    cause !== null
      ? (['danger', cause === 'failing' ? 'off' : cause] as const)
      : failing_since === null
        ? (['success', 'on'] as const)
        : (['warning', 'failing'] as const)
  return (
    <span className="badge" data-tone={tone}>
      {t(`webhooks.state.${text}`)}
    </span>
  )
}

const dayOf = (seconds: number) => dayText(new Date(seconds * 1_000).toISOString(), 'medium')

function factsOf({ signing_secret_hint: hint, created_at, failing_since }: WebhookEndpoint) {
  const t = translate()
  return [
    [t('webhooks.secret'), <code key="secret">whsec_…{hint}</code>],
    [t('webhooks.made'), dayOf(created_at)],
    ...(failing_since === null ? [] : [[t('webhooks.failing'), dayOf(failing_since)] as const]),
  ] as const
}

function RotateSecret({ endpoint, onClose, onMade }: EndpointCardProps & { readonly onClose: () => void }) {
  const t = translate()
  const id = useId()
  const [overlap, setOverlap] = useState<'keep' | 'now'>('keep')
  const { form, problem, busy, ready } = useForm(z.looseObject({}), async () =>
    onMade(await rotateSecret(endpoint, overlap === 'keep')),
  )
  const options = (['keep', 'now'] as const).map((value) => ({ value, label: t(`webhooks.rotation.${value}`) }))
  const foot = <FormFoot form={id} submit={t('webhooks.rotation.submit')} busy={busy} ready={ready} onClose={onClose} />
  return (
    <Dialog title={t('webhooks.rotation.title', { name: endpoint.name })} busy={busy} onClose={onClose} foot={foot}>
      <p>{t('webhooks.rotation.text')}</p>
      <form className="stack stack-wide" id={id} {...form}>
        <FormProblem text={problem === undefined ? undefined : errorText(problem, t('webhooks.changeFailed'))} />
        <Choices label={t('webhooks.rotation.overlap')} value={overlap} options={options} onChange={setOverlap} />
      </form>
    </Dialog>
  )
}
