import { useId } from 'react'
import { EVENT_TYPES, type WebhookEndpoint } from '#backend/webhooks/contract.ts'
import { errorText } from '../../../api/errorText.ts'
import { translate } from '../../../i18n/client.ts'
import { Dialog } from '../../../ui/Dialog.tsx'
import { Field } from '../../../ui/Field.tsx'
import { FormProblem } from '../../../ui/FormProblem.tsx'
import { FormFoot } from '../../../ui/factors/FormFoot.tsx'
import { useForm } from '../../../ui/useForm.ts'
import { Box, Boxes } from '../keys/Boxes.tsx'
import { boxOf } from '../keys/keyForm.ts'
import { typeName } from './typeName.ts'
import { addEndpoint, changeEndpoint, EndpointForm, type MadeEndpoint } from './webhooks.ts'

/** Types that are chosen at first. */
const USUAL: readonly string[] = ['video.completed', 'video.failed']

interface EditEndpointProps {
  /** The endpoint that is changed; a new one without it. */
  readonly endpoint?: WebhookEndpoint
  readonly onClose: () => void
  readonly onMade?: (made: MadeEndpoint) => void
}

/** Adds or changes an address that receives webhooks. */
export function EditEndpoint({ endpoint, onClose, onMade }: EditEndpointProps) {
  const t = translate()
  const id = useId()
  const { form, field, problem, busy, ready } = useForm(EndpointForm, async (order) => {
    if (!endpoint) return onMade?.(await addEndpoint(order))
    await changeEndpoint(endpoint, order)
    onClose()
  })
  const types = field('event_types')
  const chosen = endpoint?.event_types ?? USUAL
  const submit = t(endpoint ? 'webhooks.form.save' : 'webhooks.form.submit')
  const foot = <FormFoot form={id} submit={submit} busy={busy} ready={ready} onClose={onClose} />
  const title = endpoint ? t('webhooks.form.edit', { name: endpoint.name }) : t('webhooks.form.title')
  return (
    <Dialog title={title} size={600} busy={busy} onClose={onClose} foot={foot}>
      <form className="stack stack-wide" id={id} {...form}>
        <FormProblem text={problem === undefined ? undefined : errorText(problem, t('webhooks.form.failed'))} />
        <Field
          label={t('webhooks.form.name')}
          hint={t('webhooks.form.nameHint')}
          autoComplete="off"
          defaultValue={endpoint?.name}
          {...field('name')}
        />
        <Field
          label={t('webhooks.form.url')}
          hint={t('webhooks.form.urlHint')}
          type="url"
          placeholder="https://"
          autoComplete="off"
          defaultValue={endpoint?.url}
          {...field('url')}
        />
        <Boxes
          label={t('webhooks.form.types')}
          fault={types.fault && t('webhooks.form.typesRequired')}
          onInput={types.onInput}
        >
          {EVENT_TYPES.map((type) => (
            <Box
              key={type}
              name={boxOf('event_types', type)}
              label={typeName(type)}
              note={type}
              isInvalid={types.fault !== undefined}
              isChosen={chosen.includes(type)}
            />
          ))}
        </Boxes>
      </form>
    </Dialog>
  )
}
