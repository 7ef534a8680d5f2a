import { createHmac, timingSafeEqual } from 'node:crypto'
import { isIP } from 'node:net'
import { isUuid } from '#backend/kernel/eventsourcing/uuid7.ts'

export const CALLBACK_PATH = '/webhooks/minimax'

const markOf = (secret: string, taskId: string) =>
  createHmac('sha256', secret).update(`minimax callback ${taskId}`).digest('base64url')

/**
 * Where MiniMax may tell of a task. Its calls carry no signature, so each task has an address that nobody can guess; it
 * follows from the task's id and a secret, and is kept nowhere.
 */
export const callbackAddress = (publicUrl: string, secret: string, taskId: string): string =>
  `${publicUrl}${CALLBACK_PATH}/${taskId}.${markOf(secret, taskId)}`

/** The task behind the last part of such an address; undefined when it is forged. */
export function taskOfAddress(secret: string, part: string): string | undefined {
  const [taskId = '', mark = ''] = part.split('.')
  if (!isUuid(taskId)) return undefined
  const [given, right] = [Buffer.from(mark), Buffer.from(markOf(secret, taskId))]
  return given.length === right.length && timingSafeEqual(given, right) ? taskId : undefined
}

/** Whether others on the internet could reach this address, and over TLS. */
export function isPublic(url: string): boolean {
  const { protocol, hostname } = new URL(url)
  const local = hostname === 'localhost' || /\.(localhost|local|internal|test|example)$/.test(hostname)
  return protocol === 'https:' && !local && hostname.includes('.') && isIP(hostname) === 0
}
