import { CODE, CODE_EVENTS, type CodeEvent } from '../codes/events.ts'
import { CREDIT_ACCOUNT, CREDIT_ACCOUNT_EVENTS, type CreditAccountEvent } from '../credits/events.ts'
import { DESK_ACTION, DESK_ACTION_EVENTS, type DeskActionEvent } from '../desk/events.ts'
import { INSTALLATION, INSTALLATION_EVENTS, type InstallationEvent } from '../installation/events.ts'
import { INVOICE_BOOK, INVOICE_BOOK_EVENTS, type InvoiceEvent } from '../invoices/events.ts'
import type { EventSchemas } from '../kernel/eventsourcing/pure/eventSchemas.ts'
import { OPERATOR_ROLL, OPERATOR_ROLL_EVENTS, type OperatorRollEvent } from '../operators/events.ts'
import { SUBSCRIPTION, SUBSCRIPTION_EVENTS, type SubscriptionEvent } from '../subscriptions/events.ts'
import { VIDEO_TASK, VIDEO_TASK_EVENTS, type VideoTaskEvent } from '../tasks/events.ts'
import { TEAM, TEAM_EVENTS, type TeamEvent } from '../teams/events.ts'

/** The events of the ledger: those of all streams with a hash chain. */
export type LedgerEvent =
  | CodeEvent
  | CreditAccountEvent
  | DeskActionEvent
  | InstallationEvent
  | SubscriptionEvent
  | VideoTaskEvent
  | InvoiceEvent
  | OperatorRollEvent
  | TeamEvent

export const LEDGER_EVENTS: EventSchemas<LedgerEvent['type']> = {
  ...CODE_EVENTS,
  ...CREDIT_ACCOUNT_EVENTS,
  ...DESK_ACTION_EVENTS,
  ...INSTALLATION_EVENTS,
  ...SUBSCRIPTION_EVENTS,
  ...VIDEO_TASK_EVENTS,
  ...INVOICE_BOOK_EVENTS,
  ...OPERATOR_ROLL_EVENTS,
  ...TEAM_EVENTS,
}

/** Categories of the streams that belong to the ledger. */
export const LEDGER_CATEGORIES = [
  CODE,
  CREDIT_ACCOUNT,
  DESK_ACTION,
  INSTALLATION,
  SUBSCRIPTION,
  VIDEO_TASK,
  INVOICE_BOOK,
  OPERATOR_ROLL,
  TEAM,
] as const
