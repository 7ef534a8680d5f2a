import { Deviations } from '#backend/audit/deviation.ts'
import { TeamProofs } from '#backend/audit/teamProofs.ts'
import type { CreditAccountEvent } from '#backend/credits/events.ts'
import type { Stored } from '#backend/kernel/eventsourcing/eventStore.port.ts'
import { TEAM, type TeamEvent } from '#backend/teams/events.ts'
import { Violation } from './violation.ts'

/** An account lets spend whom its owner's team has as members, within their limits. The books compare each hold with that. */
export class TeamInvariants {
  readonly #found = new Deviations()
  readonly #proofs = new TeamProofs(this.#found)
  /** Films that a team paid for, members who were removed, and teams that were closed. */
  readonly counts = { 'paid by a team': 0, expelled: 0, 'teams closed': 0 }

  observe(event: Stored): void {
    const { type, data, stream } = event as Stored<TeamEvent> | Stored<CreditAccountEvent>
    if (stream.startsWith(`${TEAM}-`)) this.#proofs.take(event as Stored<TeamEvent>)
    if (type === 'SpendersSet') this.#proofs.takeCredit(event as Stored<CreditAccountEvent<'SpendersSet'>>)
    if (type === 'CreditsHeld' && data.spentBy) this.counts['paid by a team']++
    if (type === 'MemberRemoved') this.counts.expelled++
    if (type === 'TeamClosed') this.counts['teams closed']++
    this.#refuse()
  }

  /** At rest, each account knows who may spend. */
  atRest(): void {
    this.#proofs.end(Number.POSITIVE_INFINITY)
    this.#refuse()
  }

  #refuse(): void {
    const [first] = this.#found.found.splice(0)
    if (first) throw new Violation('teams spend as their owners allow', `${first.wrong} ${first.stream}`)
  }
}
