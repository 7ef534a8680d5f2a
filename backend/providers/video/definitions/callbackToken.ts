import { createHmac, timingSafeEqual } from 'node:crypto'
import { isUuid } from '#backend/kernel/eventsourcing/uuid7.ts'

export const WEBHOOK_PATH = '/webhooks/providers'

export interface CallbackTask {
  readonly taskId: string
  readonly providerModel: string
}

const macOf = (secret: string, provider: string, { taskId, providerModel }: CallbackTask) =>
  createHmac('sha256', secret)
    .update(JSON.stringify(['provider webhook', provider, taskId, providerModel]))
    .digest()

/** Returns the webhook address of a task, which names the task and its model and cannot be guessed. */
export function webhookUrlOf(publicUrl: string, secret: string, provider: string, task: CallbackTask): string {
  const model = Buffer.from(task.providerModel).toString('base64url')
  const mac = macOf(secret, provider, task).toString('base64url')
  return `${publicUrl}${WEBHOOK_PATH}/${provider}/${task.taskId}.${model}.${mac}`
}

/** Returns the task that the last part of a webhook address names, or undefined if its MAC is invalid. */
export function readCallbackToken(secret: string, provider: string, token: string): CallbackTask | undefined {
  const [taskId = '', model = '', mac = ''] = token.split('.')
  if (!isUuid(taskId)) return undefined
  const task = { taskId, providerModel: Buffer.from(model, 'base64url').toString() }
  const [given, expected] = [Buffer.from(mac, 'base64url'), macOf(secret, provider, task)]
  return given.length === expected.length && timingSafeEqual(given, expected) ? task : undefined
}
