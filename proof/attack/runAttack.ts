import { createAttacker } from './attacker.ts'
import { describedOperations } from './describedOperations.ts'
import { fuzz } from './fuzz.ts'
import { matrix } from './matrix.ts'
import { measureNeighbours } from './neighbour.ts'
import { sendPatterns } from './patterns.ts'
import { races } from './races.ts'
import type { Neighbour, Report } from './report.ts'
import { schemathesis } from './schemathesis.ts'
import { sockets } from './sockets.ts'
import { structures } from './structures.ts'
import { startTarget } from './target.ts'
import type { Turn } from './turns.ts'
import { uploads } from './uploads.ts'
import { walk, walkAsOperator } from './walk.ts'
import { webhooks } from './webhooks.ts'

/** Number of fuzzed requests from which the other attacks run at full size. See docs/decisions/0027-own-attack.md. */
const FULL = 10_000

export interface AttackOptions {
  readonly seed: number
  /** Number of fuzzed requests. */
  readonly requests: number
  readonly print: (line: string) => void
}

/** Longest CPU time that a request may occupy the event loop, ms, without garbage collection. */
const TURN_LIMIT_MS = 50
/**
 * The same with garbage collection, which the requests of all users cause together. A collection of the whole heap takes
 * most of it.
 */
const TURN_WITH_GC_LIMIT_MS = 100
/** Growth of another user's p99 by one hostile client. */
const RATIO_LIMIT = 2
/** How many times these limits a turn may take in a short attack, beside which others use the machine. */
const SHORT_SLACK = 10

/** Runs all attacks against a Kinora of its own and returns the report. */
export async function runAttack({ seed, requests, print }: AttackOptions): Promise<Report> {
  const target = await startTarget()
  const operations = await describedOperations(target.api)
  const attacker = createAttacker(target, operations, print)
  const size = (full: number, short: number) => (requests >= FULL ? full : short)
  let neighbours: readonly Neighbour[] = []
  const attacks: Record<string, () => Promise<string | undefined>> = {
    structures: () => structures(attacker, size(5_000, 400), seed),
    walk: () => walk(attacker),
    fuzzing: () => fuzz(attacker, operations, requests, seed),
    uploads: () => uploads(attacker, size(500, 12), seed),
    races: () => races(attacker, size(10, 1)),
    webhooks: () => webhooks(attacker, size(1_000, 20), seed),
    patterns: () => sendPatterns(attacker, operations, requests >= FULL ? 1 : 13),
    sockets: () => sockets(attacker),
    schemathesis: async () => (requests < FULL ? 'only in full attacks' : schemathesis(attacker, 50, seed)),
    // Measured by clock, so only when the machine has nothing else to do.
    'hostile neighbour': async () => {
      if (requests < FULL) return 'only in full attacks'
      neighbours = await measureNeighbours(operations, attacker.find, { laps: 4, roundMs: 7_600 })
      return `ratios of p99 ${neighbours.map(({ ratio }) => ratio.toFixed(2)).join(', ')}`
    },
    // These come last, because they set up the operator's second factor.
    'walk as the operator': () => walkAsOperator(attacker),
    matrix: () => matrix(attacker, operations),
  }
  try {
    for (const [name, attack] of Object.entries(attacks)) {
      print(`${name} …`)
      await attacker.run(name, attack)
    }
  } finally {
    await target.stop()
  }
  const isLong = ({ ms, gcMs }: Turn) =>
    ms - gcMs > size(TURN_LIMIT_MS, TURN_LIMIT_MS * SHORT_SLACK) ||
    ms > size(TURN_WITH_GC_LIMIT_MS, TURN_WITH_GC_LIMIT_MS * SHORT_SLACK)
  for (const { attack, longestTurn } of attacker.sections)
    if (longestTurn && isLong(longestTurn))
      attacker.findings.push({ attack, what: `a turn of ${longestTurn.ms.toFixed(0)} ms` })
  for (const { kind, ratio } of neighbours)
    if (ratio >= RATIO_LIMIT)
      attacker.findings.push({ attack: 'hostile neighbour', what: `${kind}: the p99 of another user at least doubles` })
  const missing = operations.flatMap(({ name }) => (attacker.succeeded.has(name) ? [] : [name]))
  const longestTurns = attacker.sections.flatMap(({ longestTurn }) => longestTurn ?? []).toSorted((a, b) => b.ms - a.ms)
  return {
    seed,
    sections: attacker.sections,
    findings: attacker.findings,
    requests: attacker.sections.reduce((sum, section) => sum + section.requests, 0),
    operations: { reached: operations.length - missing.length, all: operations.length, missing },
    longestTurns,
    neighbours,
  }
}
