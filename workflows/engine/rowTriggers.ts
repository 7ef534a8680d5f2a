import { setTimeout as delay } from 'node:timers/promises'
import { deliverMail } from '../accounts/deliverMail.workflow.ts'
import { eraseAccount } from '../accounts/eraseAccount.workflow.ts'
import { processWebhook } from '../subscriptions/processWebhook.workflow.ts'
import type { Engine } from './engine.port.ts'

/** Work that begins with a row instead of an event: mails to send, accounts to erase, notices of the payment provider. */
export interface WaitingRows {
  readonly mails: readonly string[]
  /** Users' ids. */
  readonly erasures: readonly string[]
  readonly notices: readonly string[]
}

export interface RowTriggers {
  readonly engine: Pick<Engine, 'start'>
  readonly waiting: () => Promise<WaitingRows>
  /** Calls back when a row may have come, from whichever process; answers how to stop that. */
  readonly onNews: (listener: () => void) => () => void
  readonly signal: AbortSignal
  readonly onError: (error: unknown) => void
  /** Looks without being told as well: a notification is lost while the connection is. */
  readonly lookEveryMs?: number
}

const AFTER_ERROR_MS = 1_000

/** Starts a workflow for each row that waits: first for those that are there, then as they come. A second start does nothing. */
export async function runRowTriggers({
  engine,
  waiting,
  onNews,
  signal,
  onError,
  lookEveryMs = 15_000,
}: RowTriggers): Promise<void> {
  let news = Promise.withResolvers<void>()
  const unsubscribe = onNews(() => news.resolve())
  while (!signal.aborted) {
    // Before the look, so that what comes during it is not overlooked.
    news = Promise.withResolvers()
    let pauseMs = lookEveryMs
    try {
      const { mails, erasures, notices } = await waiting()
      for (const mailId of mails) await engine.start(deliverMail, { mailId })
      for (const userId of erasures) await engine.start(eraseAccount, { userId })
      for (const noticeId of notices) await engine.start(processWebhook, { noticeId })
    } catch (error) {
      if (!signal.aborted) onError(error)
      pauseMs = Math.min(AFTER_ERROR_MS, lookEveryMs)
    }
    const done = new AbortController()
    const pause = delay(pauseMs, undefined, { signal: AbortSignal.any([signal, done.signal]) }).catch(() => {})
    await Promise.race([news.promise, pause])
    done.abort()
  }
  unsubscribe()
}
