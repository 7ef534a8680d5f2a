import { createHash } from 'node:crypto'
import { canonicalJson } from '../kernel/eventsourcing/pure/eventHash.ts'
import type { DeskOrder } from './events.ts'

type Order = DeskOrder & { readonly actionId: string }

const contentOf = ({ actionId, kind, subject, userId, amount, currency, reason }: Order) => ({
  ...{ actionId, kind, subject, userId, reason },
  ...(amount !== undefined && { amount }),
  ...(currency !== undefined && { currency }),
})

/** Returns the text that the operator of an action signs. It names the action, so a signature is of this one alone. */
export const askedText = (order: Order): string =>
  canonicalJson({
    format: 'kinora-action-1',
    ...contentOf(order),
    operator: order.operator,
    operatorId: order.operatorId ?? null,
  })

/** Returns the text that an operator signs who approves the action of another one. */
export const approvedText = (
  order: Order,
  { operator, operatorId = null }: { readonly operator: string; readonly operatorId?: string | null },
): string => canonicalJson({ format: 'kinora-approval-1', ...contentOf(order), operator, operatorId })

/** Returns the WebAuthn challenge of a text, in base64url. */
export const challengeOf = (text: string): string => createHash('sha256').update(text).digest('base64url')
