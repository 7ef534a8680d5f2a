import { atom } from 'nanostores'
import * as z from 'zod/mini'
import {
  EVENT_TYPES,
  page,
  type WebhookDelivery,
  type WebhookEndpoint,
  WebhookOrder,
} from '#backend/webhooks/contract.ts'
import { type Answer, call } from '../../../api/api.ts'
import { errorText } from '../../../api/errorText.ts'
import { translate } from '../../../i18n/client.ts'
import { pagedList } from '../../../ui/lists/pagedList.ts'
import { showToast } from '../../../ui/toasts/toasts.ts'
import { boxOf } from '../keys/keyForm.ts'

const PER_PAGE = 10

/** An endpoint with a secret that was just made. */
export type MadeEndpoint = Answer<typeof page.create>
type Order = z.output<typeof EndpointForm>

/** The user's webhook endpoints, or null while loading. */
export const $endpoints = atom<readonly WebhookEndpoint[] | 'failed' | null>(null)

export async function loadEndpoints(): Promise<void> {
  try {
    $endpoints.set((await call(page.list)).data)
  } catch {
    if (!Array.isArray($endpoints.get())) $endpoints.set('failed')
  }
}

/** Schema of the form of an endpoint. */
export const EndpointForm = z.pipe(
  z.transform(
    (values: Readonly<Record<string, string>>): z.input<typeof WebhookOrder> => ({
      name: values.name ?? '',
      url: values.url ?? '',
      event_types: EVENT_TYPES.filter((type) => boxOf('event_types', type) in values),
    }),
  ),
  WebhookOrder,
)

export async function addEndpoint(body: Order): Promise<MadeEndpoint> {
  const made = await call(page.create, { body })
  await loadEndpoints()
  return made
}

export async function changeEndpoint(
  { id }: WebhookEndpoint,
  body: Partial<Order> & { enabled?: boolean },
): Promise<void> {
  await call(page.update, { params: { id }, body })
  await loadEndpoints()
}

export async function rotateSecret({ id }: WebhookEndpoint, keepsFormer: boolean): Promise<MadeEndpoint> {
  const made = await call(page.rotate, { params: { id }, body: { keep_old_secret_active_for_24_hours: keepsFormer } })
  await loadEndpoints()
  return made
}

/** Switches an endpoint on or off. */
export const switchEndpoint = (endpoint: WebhookEndpoint): Promise<void> =>
  changeEndpoint(endpoint, { enabled: !endpoint.enabled }).catch(() =>
    showToast('danger', translate()('webhooks.changeFailed')),
  )

export async function deleteEndpoint({ id }: WebhookEndpoint): Promise<void> {
  const t = translate()
  try {
    await call(page.remove, { params: { id } })
    showToast('success', t('webhooks.deleting.done'))
  } catch {
    showToast('danger', t('webhooks.deleting.failed'))
  }
  await loadEndpoints()
}

/** Sends a test, and says what the endpoint answered. */
export async function testEndpoint({ id }: WebhookEndpoint): Promise<void> {
  const t = translate()
  try {
    const { status_code: status, delivery } = await call(page.test, { params: { id }, body: {} })
    const isTaken = delivery.status === 'sent'
    const text = isTaken
      ? t('webhooks.tested', { status, ms: delivery.duration_ms ?? 0 })
      : t('webhooks.testRefused', { status })
    showToast(isTaken ? 'success' : 'danger', text)
  } catch (error) {
    showToast('danger', errorText(error, t('webhooks.testFailed')))
  }
}

/** Creates the list of what was sent to an endpoint. */
export const deliveriesTo = ({ id }: WebhookEndpoint) =>
  pagedList<WebhookDelivery>(PER_PAGE, async (number) => {
    const query = { page: number, per_page: PER_PAGE }
    const { deliveries, total } = await call(page.deliveries, { params: { id }, query })
    return { items: deliveries, total }
  })

/** Sends a webhook again. */
export async function sendAgain({ id }: WebhookEndpoint, delivery: WebhookDelivery): Promise<void> {
  const t = translate()
  try {
    await call(page.resend, { params: { id, delivery: delivery.id } })
    showToast('success', t('webhooks.deliveries.againDone'))
  } catch (error) {
    showToast('danger', errorText(error, t('webhooks.deliveries.againFailed')))
  }
}

/** Sends all webhooks again that failed in the last days. */
export async function sendFailed({ id }: WebhookEndpoint, days: number): Promise<void> {
  const t = translate()
  try {
    const since = Math.floor(Date.now() / 1_000) - days * 86_400
    const { sent } = await call(page.resendFailed, { params: { id }, body: { since } })
    showToast('success', t('webhooks.deliveries.allDone', { count: sent }))
  } catch (error) {
    showToast('danger', errorText(error, t('webhooks.deliveries.againFailed')))
  }
}
