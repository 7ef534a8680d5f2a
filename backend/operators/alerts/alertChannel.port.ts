/** An alert that has opened, or is over. */
export interface AlertNews {
  readonly code: string
  readonly state: 'open' | 'over'
  readonly detail: string
  /** When the alert opened, ISO 8601. */
  readonly since: string
}

/** Sends news to the operator. @throws Error the news could not be sent and should be sent again */
export type SendAlert = (news: AlertNews) => Promise<void>
