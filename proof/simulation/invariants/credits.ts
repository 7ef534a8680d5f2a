import { AccountBook } from '#backend/audit/accountBook.ts'
import { CREDIT_ACCOUNT, type CreditAccountEvent } from '#backend/credits/events.ts'
import type { Stored } from '#backend/kernel/eventsourcing/eventStore.port.ts'
import { Violation } from './violation.ts'

/** Every account balances after every event, in books that do not know the decider. */
export class CreditInvariants {
  readonly books = new Map<string, AccountBook>()

  observe(event: Stored): void {
    if (!event.stream.startsWith(`${CREDIT_ACCOUNT}-`)) return
    const userId = event.stream.slice(CREDIT_ACCOUNT.length + 1)
    const book = this.books.get(userId) ?? new AccountBook()
    this.books.set(userId, book)
    const [wrong] = book.post(event as unknown as CreditAccountEvent)
    if (wrong) throw new Violation('credits are conserved', `${event.type} of ${userId}: ${wrong}`)
  }

  /** At rest, no credits are held. */
  atRest(quarantined: ReadonlySet<string>): void {
    for (const [userId, book] of this.books)
      for (const taskId of book.holds.keys())
        if (!quarantined.has(userId))
          throw new Violation('no hold without a task', `the credits of task ${taskId} are still held`)
  }
}
