/** The order of an action, as its event has it. */
type Order = Readonly<{
  actionId: string
  kind: string
  subject: string
  userId: string
  amount?: number
  currency?: string
  reason: string
  operator: string
  operatorId?: string
}>

const contentOf = ({ actionId, kind, subject, userId, amount, currency, reason }: Order) => ({
  ...{ actionId, kind, subject, userId, reason },
  ...(amount !== undefined && { amount }),
  ...(currency !== undefined && { currency }),
})

/** Returns what the operator of an action signs. It names the action, so a signature is of this one alone. */
export const askedContent = (order: Order): object => ({
  format: 'kinora-action-1',
  ...contentOf(order),
  operator: order.operator,
  operatorId: order.operatorId ?? null,
})

/** Returns what an operator signs who approves the action of another one. */
export const approvedContent = (
  order: Order,
  { operator, operatorId = null }: { readonly operator: string; readonly operatorId?: string | null },
): object => ({ format: 'kinora-approval-1', ...contentOf(order), operator, operatorId })
