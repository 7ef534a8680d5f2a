import { randomUUID } from 'node:crypto'
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { text } from 'node:stream/consumers'
import * as z from 'zod/mini'
import { invoiceFault } from '../../app/config/invoicesConfig.ts'
import type { Config } from '../../app/config/readConfig.ts'
import type { FilePlace } from '../../app/config/storageConfig.ts'
import { alertWebhook } from '../../providers/alerts/alertWebhook.ts'
import { createSmtpMailer } from '../../providers/mail/smtpMailer.ts'
import { createPaypalApi } from '../../providers/payments/paypal/paypalApi.ts'
import { createStripeApi, STRIPE_VERSION, type StripeAccess } from '../../providers/payments/stripe/stripeApi.ts'
import { createS3MediaStore, type S3Access } from '../../providers/storage/s3MediaStore.ts'
import type { VideoProvider } from '../../tasks/videoProvider.port.ts'
import type { Check } from './check.ts'

const PROVIDER_MS = 25_000

async function examineBucket(access: S3Access): Promise<string> {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'kinora-doctor-'))
  const id = randomUUID()
  const [file, key] = [path.join(folder, id), `doctor/${id}`]
  try {
    const store = createS3MediaStore(access, folder)
    writeFileSync(file, id)
    await store.put(key, file)
    const read = await text(store.read(key))
    await store.remove(key)
    if (read !== id) throw new Error('the bucket returned another content')
    if ((await store.size(key)) !== undefined) throw new Error('a removed file is still there')
    return `a file was written to ${access.bucket}, read and removed`
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

async function examinePlace(to: FilePlace): Promise<string> {
  if ('bucket' in to) return examineBucket(to.bucket)
  // A missing folder is made at its first use, in the nearest one that exists.
  let folder = to.folder
  while (!existsSync(folder)) folder = path.dirname(folder)
  const file = path.join(folder, `doctor-${randomUUID()}`)
  writeFileSync(file, '')
  rmSync(file)
  return `${to.folder} can be written`
}

async function examineMail({ url, from }: NonNullable<Config['mail']>, recipient: string | undefined): Promise<string> {
  const to = recipient ?? from.replace(/^.*<|>$/g, '')
  const mailer = createSmtpMailer(url, from)
  try {
    const mail = { subject: 'Kinora can send mail', text: 'This is a test.', html: '<p>This is a test.</p>' }
    const outcome = await mailer.send({ ...mail, id: randomUUID(), userId: '', to })
    if (outcome !== 'sent') throw new Error(`the server refuses ${to}`)
    return `a test mail was sent to ${to}`
  } finally {
    await mailer.close()
  }
}

async function examineAlerts(webhook: string, board: string): Promise<string> {
  const news = { code: 'test', state: 'over', detail: 'The doctor tests ALERT_WEBHOOK.' } as const
  await alertWebhook(webhook, () => board)({ ...news, since: new Date().toISOString() })
  return 'a test alert was sent'
}

async function examinePaypal({ webhookId, ...access }: NonNullable<Config['payments']['paypal']>): Promise<string> {
  const { url } = await createPaypalApi(access).get(
    `/v1/notifications/webhooks/${encodeURIComponent(webhookId)}`,
    z.object({ url: z.string() }),
  )
  return `PayPal accepts the keys and sends webhooks to ${url}`
}

/** Compares the webhook endpoints at Stripe with this installation. The secret of an endpoint is shown only once, so it cannot be compared. */
function stripeCheck(access: StripeAccess, publicUrl: string | undefined): Check {
  const address = `${publicUrl ?? ''}/webhooks/stripe`
  return {
    name: 'payments, Stripe',
    async examine() {
      const endpoints = await createStripeApi(access).list('/v1/webhook_endpoints', WebhookEndpoint, {})
      const own = endpoints.find(({ url, status }) => url === address && status === 'enabled')
      if (!own) throw new Error(`Stripe accepts the key, but has no enabled webhook endpoint ${address}`)
      if (own.api_version === STRIPE_VERSION) return `Stripe accepts the key and sends webhooks to ${address}`
      throw new Error(
        `The webhook endpoint has the API version ${own.api_version ?? 'of the account'}: make one with ${STRIPE_VERSION}`,
      )
    },
    advice: 'Check STRIPE_SECRET_KEY, and the webhook endpoint at Stripe. See "Stripe" in docs/operations.md.',
  }
}

const WebhookEndpoint = z.object({
  id: z.string(),
  url: z.string(),
  status: z.string(),
  api_version: z.nullable(z.string()),
})

async function examineVideos(provider: VideoProvider): Promise<string> {
  const { ok, detail } = await provider.check(AbortSignal.timeout(PROVIDER_MS))
  if (!ok) throw new Error(detail)
  return detail
}

/** The checks of the media, mail, payments and each video provider. */
export function serviceChecks(
  config: Config,
  providers: ReadonlyMap<string, VideoProvider>,
  recipient: string | undefined,
): Check[] {
  const { alerts, backup, headsTo, http, storage, mail, payments, registration, invoices } = config
  const noMail = registration === 'closed' ? 'none, so registration is closed' : 'kept for /dev/mailbox'
  return [
    {
      name: 'media',
      examine: async () => (storage ? examineBucket(storage) : 'in DATA_DIR'),
      advice:
        'Check the S3_ settings. The key must be allowed to put, get and delete objects, and the bucket must exist.',
    },
    {
      name: 'backups',
      examine: async () => (backup ? examinePlace(backup.to) : 'none: BACKUP_TO is not set'),
      advice: 'Check BACKUP_TO: a folder that this user may write, or s3:// with a bucket and the S3_ settings.',
    },
    {
      name: 'heads of the ledger',
      examine: () => examinePlace(headsTo),
      advice: 'Check HEADS_TO: a folder that this user may write, or s3:// with a bucket and the S3_ settings.',
    },
    {
      name: 'alerts',
      examine: async () =>
        alerts.webhook ? examineAlerts(alerts.webhook, `${http.publicUrl ?? ''}/admin/dashboard`) : 'no webhook',
      advice: 'Check ALERT_WEBHOOK: a web address that accepts JSON by POST.',
    },
    {
      name: 'mail',
      examine: async () => (mail ? examineMail(mail, recipient) : noMail),
      advice: 'Check SMTP_URL, its user and password, and that the server accepts MAIL_FROM as a sender.',
    },
    {
      name: 'payments',
      examine: async () => (payments.paypal ? examinePaypal(payments.paypal) : (payments.tills[0] ?? 'off')),
      advice:
        'Check PAYPAL_CLIENT_ID, PAYPAL_CLIENT_SECRET, PAYPAL_WEBHOOK_ID, and that PAYPAL_BASE_URL is of the same kind.',
    },
    ...(payments.stripe ? [stripeCheck(payments.stripe, http.publicUrl)] : []),
    {
      name: 'invoices',
      examine: async () =>
        invoiceFault(config) ??
        (invoices.seller ? `issued by ${invoices.seller.name}, ${invoices.taxRate} % tax` : 'none'),
    },
    ...[...providers].map(([name, provider]) => ({
      name: `videos, ${name}`,
      examine: () => examineVideos(provider),
      advice: `Check its key and address; npm run providers -- check ${name} shows the request.`,
    })),
  ]
}
