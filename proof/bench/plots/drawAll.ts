import type { Curve } from '../curves/growth.ts'
import { describeCpu, type PeerRow } from '../peers/report.ts'
import { describeFigure, type Row, shareOf } from '../table/report.ts'
import { plotCurve } from './plotCurve.ts'
import { plotShares } from './plotShares.ts'

/** Contents of `proof/bench/results.json`, `proof/bench/peers.json` and `proof/bench/curves.json`, without the machines. */
export interface Results {
  readonly figures: readonly Row[]
  readonly peers: readonly PeerRow[]
  readonly curves: readonly Curve[]
}

/** Returns every plot by its file name. */
export function drawAll({ figures, peers, curves }: Results): Readonly<Record<string, string>> {
  const goals = figures.map((row) => ({ label: row.question, share: shareOf(row), text: describeFigure(row) }))
  const ratios = peers.map(({ question, peer, clients, ratio, cpu_ms }) => ({
    label: `${question} ÷ ${peer}, ${clients} at a time`,
    share: ratio,
    text: `CPU ${describeCpu(cpu_ms)}`,
  }))
  return {
    'goals.svg': plotShares({ title: 'What is measured, as a share of its goal', one: 'the goal', shares: goals }),
    'peers.svg': plotShares({
      title: 'Rate, as a share of that of a peer',
      one: 'the rate of the peer',
      shares: ratios,
    }),
    ...Object.fromEntries(curves.map((curve) => [`curve-${curve.id}.svg`, plotCurve(curve)])),
  }
}
