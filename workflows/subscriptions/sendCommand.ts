import type { CommandContext, FindOrigin } from '#backend/kernel/eventsourcing/command.ts'
import type { Handle } from '#backend/kernel/eventsourcing/handle.ts'
import { upcast } from '#backend/kernel/eventsourcing/pure/eventSchemas.ts'
import type { Calendar } from '#backend/kernel/time.ts'
import type { SubscriptionCommand } from '#backend/subscriptions/commands.ts'
import { SUBSCRIPTION, SUBSCRIPTION_EVENTS, type SubscriptionEvent } from '#backend/subscriptions/events.ts'
import { subscription } from '#backend/subscriptions/subscription.decider.ts'

export interface CommandDeps {
  readonly handle: Handle
  readonly findOrigin: FindOrigin
}

export const calendarTime = ({ calendar }: { readonly calendar: Calendar }) => new Date(calendar()).toISOString()

/** Sends a command, linked to the request that created the agreement, and returns the updated subscription. */
export async function sendCommand(deps: CommandDeps, command: SubscriptionCommand) {
  const { userId } = command
  const origin = 'agreementId' in command ? await originOfAgreement(deps, userId, command.agreementId) : undefined
  return (await deps.handle(subscription, userId, command, { ...contextOf(command), ...origin })).state
}

/** Returns a command's context. The command id is the whole command as JSON, because several commands can have the same time. */
export function contextOf(command: SubscriptionCommand): CommandContext {
  return { commandId: JSON.stringify(command), actor: 'system', correlationId: command.userId }
}

export const originOfAgreement = (
  { findOrigin }: Pick<CommandDeps, 'findOrigin'>,
  userId: string,
  agreementId: string,
) =>
  findOrigin<SubscriptionEvent>(`${SUBSCRIPTION}-${userId}`, {
    id: agreementId,
    matches: (stored) => upcast(SUBSCRIPTION_EVENTS, stored).data.agreementId === agreementId,
  })
