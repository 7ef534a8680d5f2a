import type { Workflow } from '../engine/engine.port.ts'

type Input = { readonly webhookId: string }

export interface WebhookActivities {
  /** Processes a stored webhook. Returns `later` if its agreement or sale is not known yet. */
  processWebhook(input: Input): Promise<'processed' | 'later'>
}

const FIRST_DELAY_MS = 1_000
const MAX_DELAY_MS = 60 * 60_000

/** Processes a webhook. Retries with backoff if it arrived before the webhook that it depends on. */
export const processWebhook: Workflow<WebhookActivities, Input> = {
  type: 'processWebhook',
  id: ({ webhookId }) => `webhook-${webhookId}`,
  async run(ctx, input) {
    for (let delay = FIRST_DELAY_MS; (await ctx.activities.processWebhook(input)) === 'later'; delay *= 2)
      await ctx.sleep(Math.min(delay, MAX_DELAY_MS))
  },
}
