import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { assertSound, Rejection } from '../kernel/eventsourcing/pure/decider.ts'
import { type Code, code } from './code.decider.ts'
import type { CodeCommand } from './commands.ts'
import type { CodeEvent } from './events.ts'

const codeId = 'c'
const at = (minute: number) => new Date(Date.UTC(2026, 0, 1, 0, minute)).toISOString()
const terms = { credits: 50, uses: 2, audience: 'all' as const, expiresAt: at(10), label: 'Fair' }

type Issue = CodeCommand<'IssueCode'>
const issue = (more: Partial<Issue> = {}): Issue => ({
  ...{ type: 'IssueCode', codeId, batchId: 'b', hint: 'V3ZD', issuedBy: 'ada', at: at(0) },
  ...{ ...terms, ...more },
})
const redeem = (userId: string, minute = 1, isNew = true) =>
  ({ type: 'RedeemCode', codeId, userId, isNew, at: at(minute) }) as const
const end = (minute = 1) => ({ type: 'VoidCode', codeId, by: 'ada', at: at(minute) }) as const

/** Runs commands, and returns the type of each event or the code of each rejection. */
function run(...commands: readonly CodeCommand[]) {
  let state: Code = code.initial
  const events: CodeEvent[] = []
  const outcomes = commands.map((command) => {
    try {
      const decided = code.decide(command, state)
      const before = state
      state = decided.reduce(code.evolve, state)
      assertSound(code, { command, before, events: decided, after: state })
      events.push(...decided)
      return decided.map(({ type }) => type).join() || 'nothing'
    } catch (error) {
      if (!(error instanceof Rejection)) throw error
      return error.code
    }
  })
  return { outcomes, events }
}
const outcomesOf = (...commands: readonly CodeCommand[]) => run(...commands).outcomes.slice(1)

describe('a code', () => {
  it('is redeemed as often as it has uses, once by each user', () => {
    const commands = [issue(), redeem('a'), redeem('a'), redeem('b'), redeem('c')]
    expect(outcomesOf(...commands)).toEqual(['CodeRedeemed', 'unknown_code', 'CodeRedeemed', 'unknown_code'])
    expect(run(...commands).events[1]?.data).toEqual({ codeId, userId: 'a', credits: 50, at: at(1) })
  })

  it('is redeemed until it expires, and never before it is issued', () => {
    expect(run(redeem('a')).outcomes).toEqual(['unknown_code'])
    expect(outcomesOf(issue(), redeem('a', 9), redeem('b', 10))).toEqual(['CodeRedeemed', 'unknown_code'])
    expect(outcomesOf(issue({ expiresAt: null }), redeem('a', 9_999))).toEqual(['CodeRedeemed'])
  })

  it('for new accounts is refused to those that have bought credits', () => {
    const commands = [issue({ audience: 'new' }), redeem('a', 1, false), redeem('b', 1, true)]
    expect(outcomesOf(...commands)).toEqual(['unknown_code', 'CodeRedeemed'])
    expect(outcomesOf(issue(), redeem('a', 1, false))).toEqual(['CodeRedeemed'])
  })

  it('is not redeemed after it was voided, which happens once', () => {
    expect(outcomesOf(issue(), redeem('a'), end(), end(), redeem('b'))).toEqual([
      ...['CodeRedeemed', 'CodeVoided', 'nothing', 'unknown_code'],
    ])
    expect(run(end()).outcomes).toEqual(['not_found'])
  })

  it('is issued once', () => {
    expect(outcomesOf(issue(), issue({ credits: 9_000 }), redeem('a'))).toEqual(['nothing', 'CodeRedeemed'])
  })

  it('begins its hash-chained stream, which only the issue does not have to read', () => {
    expect([code.hashChained, ...[issue(), redeem('a'), end()].map(code.begins!)]).toEqual([true, true, false, false])
  })

  it('with more redemptions than uses is an unsound decision', () => {
    const events = [redeem('a'), redeem('b'), redeem('c')].map(({ userId, at }) => ({
      type: 'CodeRedeemed' as const,
      data: { codeId, userId, credits: 50, at },
    }))
    const before = code.decide(issue(), code.initial).reduce(code.evolve, code.initial)
    const faults = [2, 3].map((count) => {
      const after = events.slice(0, count).reduce(code.evolve, before)
      return code.faultOf!({ command: redeem('c'), before, events, after })
    })
    expect(faults).toEqual([undefined, 'is used 3 times'])
  })

  it('keeps its terms in every history', () => {
    const user = fc.constantFrom('a', 'b', 'c', 'd', 'e')
    const step = fc.oneof(
      { weight: 8, arbitrary: fc.tuple(user, fc.nat(20), fc.boolean()).map((order) => redeem(...order)) },
      { weight: 1, arbitrary: fc.nat(20).map(end) },
      { weight: 1, arbitrary: fc.constant(issue({ credits: 9_000, uses: 9 })) },
    )
    const first = fc.record({ uses: fc.integer({ min: 1, max: 4 }), audience: fc.constantFrom('all', 'new') })
    fc.assert(
      fc.property(first, fc.array(step, { maxLength: 30 }), (more, steps) => {
        const { events } = run(issue(more as Partial<Issue>), ...steps)
        const uses = events.flatMap((event) => (event.type === 'CodeRedeemed' ? [event.data] : []))
        const ended = events.findIndex(({ type }) => type === 'CodeVoided')
        expect(uses.length).toBeLessThanOrEqual(more.uses)
        expect(new Set(uses.map(({ userId }) => userId)).size).toBe(uses.length)
        expect(uses.every(({ credits, at }) => credits === 50 && at < terms.expiresAt)).toBe(true)
        expect(ended === -1 || ended === events.length - 1).toBe(true)
      }),
      { numRuns: 2_000 },
    )
  })
})
