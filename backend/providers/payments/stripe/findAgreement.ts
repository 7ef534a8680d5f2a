import { sessionPath } from './sessions.ts'
import { known, type StripeApi, StripeRefusal } from './stripeApi.ts'
import type { StripeLinks } from './stripeLinks.ts'
import { Session, Subscription } from './stripeShapes.ts'

/** An agreement is named by its Checkout Session for good, because the subscription does not exist before it is paid. */
export interface FoundAgreement {
  readonly sessionId: string
  /** Undefined if the subscription was read by its own id. */
  readonly session?: Session
  /** Undefined until the buyer has approved. */
  readonly subscription: Subscription | undefined
}

export type Finder = ReturnType<typeof createFinder>

export const subscriptionPath = (id: string) => `/v1/subscriptions/${encodeURIComponent(id)}`

/** Finds agreements by the id of their session, or of their subscription, by which webhooks name them. */
export function createFinder(api: StripeApi, links: StripeLinks) {
  const readSubscription = (id: string) => known(api.get(subscriptionPath(id), Subscription))

  const bySubscription = async (id: string): Promise<FoundAgreement | undefined> => {
    const subscription = await readSubscription(id)
    const sessionId = subscription && (subscription.metadata?.session ?? (await sessionIdOf(id)))
    return sessionId ? { sessionId, subscription } : undefined
  }

  /** Returns the session of a subscription; undefined if another system made it. */
  const sessionIdOf = async (subscriptionId: string): Promise<string | undefined> => {
    const link = await links.find(subscriptionId)
    if (link) return link.sessionId
    const [session] = await api.list('/v1/checkout/sessions', Session, { subscription: subscriptionId })
    if (session) await links.add(session.id, subscriptionId)
    return session?.id
  }

  const bySession = async (sessionId: string): Promise<FoundAgreement | undefined> => {
    const link = await links.find(sessionId)
    const linked = link && (await readSubscription(link.subscriptionId))
    if (linked) return { sessionId, subscription: linked }
    const session = await known(api.get(sessionPath(sessionId), Session, { expand: ['subscription'] }))
    if (session?.mode !== 'subscription') return undefined
    const subscription = (typeof session.subscription === 'object' && session.subscription) || undefined
    if (subscription) await links.add(sessionId, subscription.id)
    return { sessionId, session, subscription }
  }

  const find = async (id: string) => {
    if (id.startsWith('sub_')) return bySubscription(id)
    return id.startsWith('cs_') ? bySession(id) : undefined
  }

  return {
    find,
    readSubscription,
    /** @throws StripeRefusal the agreement is unknown */
    async mustFind(id: string): Promise<FoundAgreement> {
      const found = await find(id)
      if (!found) throw new StripeRefusal(`a change of ${id}`, 404, 'resource_missing', 'No such agreement')
      return found
    },
  }
}
