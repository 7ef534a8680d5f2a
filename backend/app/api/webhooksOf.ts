import type Router from '@koa/router'
import { createLineLimit } from '../../kernel/observability/lineLimit.ts'
import { definitionRoutes } from '../../providers/video/definitions/definitionRoutes.ts'
import { createWebhookKeys } from '../../providers/video/definitions/webhookKeys.ts'
import { callbackRoutes } from '../../providers/video/minimax/callbackRoutes.ts'
import { webhookRoutes } from '../../subscriptions/webhooks/webhookRoutes.ts'
import { handleProviderCallback } from '../../tasks/providerCallbacks.ts'
import type { Adapters } from '../adapters.ts'
import type { Context } from '../context.ts'
import type { Services } from '../services.ts'

/** Returns the routes of the webhooks of configured providers. */
export function webhooksOf(context: Context, { definitions, payments }: Adapters, { webhooks }: Services): Router[] {
  const { config, clock, log, observability } = context
  const callbackSecret = config.secrets.session
  const onProviderCallback = (callback: Parameters<typeof handleProviderCallback>[1]) =>
    handleProviderCallback(context, callback)
  const nextLine = createLineLimit(clock)
  const onInvalidSignature = () => {
    observability.metrics.forged.inc()
    const omitted = nextLine()
    if (omitted !== undefined) log.warn({ omitted }, 'webhook signature invalid')
  }
  return [
    callbackRoutes({ callbackSecret, onProviderCallback }),
    definitionRoutes({
      ...{ callbackSecret, clock, onProviderCallback, onInvalidSignature },
      find: definitions.find,
      keys: createWebhookKeys(clock),
    }),
    webhookRoutes({ payments, inbox: webhooks, onInvalidSignature }),
  ]
}
