import type { Comparison } from '../ratios/compareRates.ts'
import { shown } from '../table/report.ts'

/** A comparison with a peer, as it is stored in `proof/bench/peers.json`. */
export interface PeerRow {
  readonly question: string
  readonly peer: string
  readonly clients: number
  /** Our rate ÷ the peer's. */
  readonly ratio: number
  /** Calls per second. */
  readonly rate: { readonly ours: number; readonly peer: number }
  /** CPU time of one call in Node and PostgreSQL, ms. */
  readonly cpu_ms: { readonly ours: number; readonly peer: number }
}

/** Returns a comparison as a row. */
export const peerRow = (
  question: string,
  peer: string,
  clients: number,
  { ratio, ours, peer: theirs }: Comparison,
): PeerRow => ({
  ...{ question, peer, clients, ratio },
  rate: { ours: ours.rate, peer: theirs.rate },
  cpu_ms: { ours: ours.cpuMs, peer: theirs.cpuMs },
})

/** Returns the CPU times of one call, ours first. */
export const describeCpu = ({ ours, peer }: PeerRow['cpu_ms']): string =>
  `${shown(ours * 1_000)} : ${shown(peer * 1_000)} µs`

/** Returns the rows as a Markdown table. */
export function toMarkdown(rows: readonly PeerRow[]): string {
  const line = ({ question, peer, clients, ratio, rate, cpu_ms }: PeerRow) =>
    `| ${question} ÷ ${peer} | ${clients} | ${shown(ratio)} | ${shown(rate.ours)} : ${shown(rate.peer)} | ${describeCpu(cpu_ms)} |`
  const names = ['Ours ÷ peer', 'Clients', 'Ratio', 'Calls a second', 'CPU each']
  return [`| ${names.join(' | ')} |`, `|${names.map(() => '---').join('|')}|`, ...rows.map(line)].join('\n')
}
