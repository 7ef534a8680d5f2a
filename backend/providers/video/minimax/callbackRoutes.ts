import { createHmac, timingSafeEqual } from 'node:crypto'
import { isIP } from 'node:net'
import Router from '@koa/router'
import * as z from 'zod/mini'
import { Rejection } from '#backend/kernel/eventsourcing/pure/decider.ts'
import { isUuid } from '#backend/kernel/eventsourcing/uuid7.ts'
import { readRawBody } from '#backend/kernel/http/readRawBody.ts'
import { parseLosslessJson } from '../losslessJson.ts'

const CALLBACK_PATH = '/webhooks/minimax'
const MAX_BODY_BYTES = 64 * 1024

export interface CallbackRoutes {
  readonly callbackSecret: string
  /** Receives the task id and, if the body contains one, the job id. The rest of the callback is not trusted. */
  readonly onProviderCallback: (
    callback: Readonly<{ taskId: string; provider: string; jobId: string | undefined }>,
  ) => Promise<void>
}

/**
 * Serves MiniMax's callbacks. A callback is only a hint to query the job, so it may repeat or arrive out of order.
 * MiniMax verifies the URL with a challenge, which the response echoes.
 */
export function callbackRoutes({ callbackSecret, onProviderCallback }: CallbackRoutes): Router {
  // Metrics and logs use this pattern as the route label, so renaming the parameter would change the label.
  return new Router().post(`${CALLBACK_PATH}/:address`, async (ctx) => {
    const taskId = verifyCallbackToken(callbackSecret, ctx.params.address ?? '')
    if (!taskId) throw new Rejection('unauthenticated', 'This callback URL is not valid.')
    const { challenge, jobId } = readCallback((await readRawBody(ctx, MAX_BODY_BYTES)).toString())
    if (challenge === undefined) await onProviderCallback({ taskId, provider: 'minimax', jobId })
    ctx.set('Cache-Control', 'no-store')
    ctx.body = challenge === undefined ? {} : { challenge }
  })
}

const macOf = (secret: string, taskId: string) =>
  createHmac('sha256', secret).update(`minimax callback ${taskId}`).digest('base64url')

/** Returns the callback URL of a task. MiniMax does not sign callbacks, so the URL carries a MAC of the task id. */
export const callbackUrlOf = (publicUrl: string, secret: string, taskId: string): string =>
  `${publicUrl}${CALLBACK_PATH}/${taskId}.${macOf(secret, taskId)}`

/** Returns the task id from the last segment of a callback URL, or undefined if its MAC is invalid. */
export function verifyCallbackToken(secret: string, token: string): string | undefined {
  const [taskId = '', mac = ''] = token.split('.')
  if (!isUuid(taskId)) return undefined
  const [given, expected] = [Buffer.from(mac), Buffer.from(macOf(secret, taskId))]
  return given.length === expected.length && timingSafeEqual(given, expected) ? taskId : undefined
}

/** Returns whether a URL is probably reachable from the internet over TLS. */
export function isPublicUrl(url: string): boolean {
  const { protocol, hostname } = new URL(url)
  const local = hostname === 'localhost' || /\.(localhost|local|internal|test|example)$/.test(hostname)
  return protocol === 'https:' && !local && hostname.includes('.') && isIP(hostname) === 0
}

const Callback = z.object({
  challenge: z.optional(z.union([z.string(), z.number()])),
  task_id: z.optional(z.union([z.string(), z.int()])),
})

/** Parses a callback body. Returns an empty object if it is malformed. */
function readCallback(text: string): { challenge?: string | number | undefined; jobId?: string | undefined } {
  try {
    const { challenge, task_id } = z.parse(Callback, parseLosslessJson(text))
    return { challenge, jobId: task_id === undefined ? undefined : String(task_id) }
  } catch {
    return {}
  }
}
