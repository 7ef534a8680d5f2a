import type { Turn } from './turns.ts'

/** A fault that an attack found. */
export interface Finding {
  readonly attack: string
  readonly what: string
}

export interface Section {
  readonly attack: string
  requests: number
  /** Number of answers by status. */
  readonly statuses: Record<string, number>
  /** Longest turn of the event loop, ms; null if not measured. */
  longestTurn: Turn | null
  note: string
  seconds: number
}

export interface Report {
  readonly seed: number
  readonly sections: readonly Section[]
  readonly findings: readonly Finding[]
  readonly requests: number
  readonly operations: { readonly reached: number; readonly all: number; readonly missing: readonly string[] }
  readonly longestTurns: readonly Turn[]
  /** Another user's p99 with a hostile client and without it. */
  readonly neighbours: readonly Neighbour[]
}

export interface Neighbour {
  /** What the hostile client sends. */
  readonly kind: string
  readonly quietP99Ms: number
  readonly hostileP99Ms: number
  readonly ratio: number
  readonly samples: number
}

export const newSection = (attack: string): Section => ({
  attack,
  requests: 0,
  statuses: {},
  longestTurn: null,
  note: '',
  seconds: 0,
})

const SHOWN = 40

/** Formats a report for a console. */
export function formatReport({
  seed,
  sections,
  findings,
  requests,
  operations,
  longestTurns,
  neighbours,
}: Report): string {
  const rows = sections.map(({ attack, requests, statuses, longestTurn, note, seconds }) => [
    attack,
    String(requests),
    ['2', '3', '4', '5'].map((digit) => sum(statuses, digit)).join(' / '),
    longestTurn ? `${longestTurn.ms.toFixed(0)} ms` : '–',
    `${seconds.toFixed(0)} s`,
    note,
  ])
  const heads = ['attack', 'requests', '2xx / 3xx / 4xx / 5xx', 'longest turn', 'time', 'note']
  const [longest] = longestTurns
  return [
    ...table([heads, ...rows]),
    '',
    `${requests} requests, ${operations.reached} of ${operations.all} operations answered with success, seed ${seed}`,
    ...(operations.missing.length > 0 ? [`without success: ${operations.missing.join(', ')}`] : []),
    ...(longest
      ? [
          `longest turn ${longest.ms.toFixed(0)} ms (garbage collection ${longest.gcMs.toFixed(0)} ms): ${longest.requests.slice(0, 5).join(', ')}`,
        ]
      : []),
    ...neighbours.map(
      ({ kind, quietP99Ms, hostileP99Ms, ratio, samples }) =>
        `p99 of another user: ${quietP99Ms.toFixed(1)} ms, beside ${kind} ${hostileP99Ms.toFixed(1)} ms, ` +
        `ratio ${ratio.toFixed(2)} (${samples} samples each)`,
    ),
    findings.length === 0 ? 'no findings' : `${findings.length} findings`,
    ...findings.slice(0, SHOWN).map(({ attack, what }) => `  ${attack}: ${what}`),
  ].join('\n')
}

const sum = (statuses: Section['statuses'], digit: string) =>
  Object.entries(statuses).reduce((total, [status, count]) => total + (status.startsWith(digit) ? count : 0), 0)

function table(rows: readonly (readonly string[])[]): string[] {
  const widths = rows[0]!.map((_, column) => Math.max(...rows.map((row) => row[column]!.length)))
  return rows.map((row) =>
    row
      .map((cell, column) => cell.padEnd(widths[column]!))
      .join('  ')
      .trimEnd(),
  )
}
