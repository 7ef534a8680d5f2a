import Router from '@koa/router'
import { Rejection } from '#backend/kernel/eventsourcing/pure/decider.ts'
import { readRawBody } from '#backend/kernel/http/readRawBody.ts'
import { parseLosslessJson } from '../losslessJson.ts'
import { modelApp } from './buildRequest.ts'
import { type CallbackTask, readCallbackToken, WEBHOOK_PATH } from './callbackToken.ts'
import type { Definition } from './definition.ts'
import type { DefinitionClient } from './definitionClient.ts'
import { encodeJob } from './jobRecord.ts'
import { readText } from './readPath.ts'
import { fill, type Json } from './template.ts'
import type { WebhookKeys } from './webhookKeys.ts'

/** Results of image and video models are addresses, so that bodies are small. */
const MAX_BODY_BYTES = 1 << 20
const JOB_ID = /^[\w:-]{1,128}$/

export interface DefinitionRoutes {
  readonly callbackSecret: string
  /** Returns the definition of a provider that is configured, with its client. */
  readonly find: (name: string) => { readonly definition: Definition; readonly client: DefinitionClient } | undefined
  readonly keys: WebhookKeys
  readonly clock: () => number
  /** Receives the task and, if the body names one, the job. The rest of a webhook is not used. */
  readonly onProviderCallback: (
    callback: Readonly<{ taskId: string; provider: string; jobId: string | undefined }>,
  ) => Promise<void>
  readonly onInvalidSignature: () => void
}

/**
 * Serves the webhooks of providers that definitions describe. A webhook is only a hint to ask about the job, so it may
 * repeat or arrive out of order. Its address names the task, which finds the job of a lost create answer.
 */
export function definitionRoutes(deps: DefinitionRoutes): Router {
  const { callbackSecret, find, keys, clock, onProviderCallback, onInvalidSignature } = deps
  const refuse = () => new Rejection('unauthenticated', 'This webhook is not valid.')
  // Metrics and logs use this pattern as the route label.
  return new Router().post(`${WEBHOOK_PATH}/:provider/:address`, async (ctx) => {
    const { provider, address } = ctx.params as { provider: string; address: string }
    const task = readCallbackToken(callbackSecret, provider, address)
    const found = find(provider)
    if (!task || !found?.definition.webhook) throw refuse()
    const { definition, client } = found
    const body = await readRawBody(ctx, MAX_BODY_BYTES)
    const webhook = { headers: ctx.headers, body, now: clock() / 1000 }
    if (!(await keys.isSigned(definition, client, webhook))) {
      onInvalidSignature()
      throw refuse()
    }
    const parsed = parse(body)
    const { challenge } = definition.webhook!
    const asked = challenge === undefined ? undefined : readText(parsed, challenge)
    if (asked === undefined)
      await onProviderCallback({ taskId: task.taskId, provider, jobId: jobOf(definition, task, parsed) })
    ctx.set('Cache-Control', 'no-store')
    ctx.body = asked === undefined ? {} : { [challenge!]: asked }
  })
}

function parse(body: Buffer): Json | undefined {
  try {
    return parseLosslessJson(body.toString()) as Json
  } catch {
    return undefined
  }
}

/** Returns the job that a webhook names, with the addresses that a lost create answer would have given. */
function jobOf(definition: Definition, { providerModel }: CallbackTask, body: Json | undefined): string | undefined {
  const { jobId: path, found } = definition.webhook!
  const id = readText(body, path)
  if (id === undefined || !JOB_ID.test(id)) return undefined
  const values = { jobId: id, providerModel, modelApp: modelApp(providerModel) }
  const kept = Object.entries(found).map(([name, template]) => [name, String(fill(template, values))] as const)
  return encodeJob(definition, { id, kept: Object.fromEntries(kept) })
}
