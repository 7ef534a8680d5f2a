import type { JsonWebKey } from 'node:crypto'
import * as z from 'zod/mini'
import type { Definition } from './definition.ts'
import type { DefinitionClient } from './definitionClient.ts'
import { isSuccess } from './interpretAnswer.ts'
import { readText } from './readPath.ts'
import { type SignedWebhook, verifyFalWebhook, verifyStandardWebhook } from './webhookSignature.ts'

const MAX_AGE_MS = 24 * 3_600_000
/** A signature that does not fit asks for rotated keys, but not more often than this. */
const MIN_AGE_MS = 60_000
const TIMEOUT_MS = 5_000

const KeySet = z.object({ keys: z.array(z.record(z.string(), z.unknown())) })

interface Keys {
  readonly at: number
  readonly verify: (webhook: SignedWebhook) => boolean
}

export interface WebhookKeys {
  /**
   * Returns whether the provider signed a webhook. A webhook of the scheme `hint` needs no signature, because its
   * address is secret. @throws Error if the keys cannot be read
   */
  isSigned(definition: Definition, client: DefinitionClient, webhook: SignedWebhook): Promise<boolean>
}

/** Creates the verifier of webhooks, which keeps each provider's keys for a day. */
export function createWebhookKeys(clock: () => number): WebhookKeys {
  const cached = new Map<string, Keys>()
  return {
    async isSigned(definition, client, webhook) {
      if (definition.webhook?.scheme === 'hint') return true
      const read = async () => {
        const keys = { at: clock(), verify: await readKeys(definition, client) }
        cached.set(definition.name, keys)
        return keys
      }
      const known = cached.get(definition.name)
      const keys = known && clock() - known.at < MAX_AGE_MS ? known : await read()
      if (keys.verify(webhook) || clock() - keys.at < MIN_AGE_MS) return keys.verify(webhook)
      return (await read()).verify(webhook)
    },
  }
}

async function readKeys({ name, webhook }: Definition, client: DefinitionClient): Promise<Keys['verify']> {
  if (webhook?.scheme === 'ed25519-fal' && webhook.jwks) {
    const { keys } = z.parse(KeySet, await client.readKeySet(webhook.jwks, TIMEOUT_MS))
    return (signed) => verifyFalWebhook(signed, keys as JsonWebKey[])
  }
  if (webhook?.scheme === 'standard-webhooks' && webhook.secret) {
    const answer = await client.query(webhook.secret.call, {}, AbortSignal.timeout(TIMEOUT_MS))
    const secret = isSuccess(answer) ? readText(answer.body, webhook.secret.path) : undefined
    if (secret === undefined) throw new Error(`${name} answered no webhook secret (HTTP ${answer.status})`)
    return (signed) => verifyStandardWebhook(signed, secret)
  }
  return () => false
}
