import { defineEntity, p } from '@mikro-orm/core'
import { CREDIT_ACCOUNT, type CreditAccountEvent, type LotPart, type LotSource } from '#backend/credits/events.ts'
import type { Projection } from '../projection.ts'

export interface BalanceLot {
  id: string
  source: LotSource
  granted: number
  left: number
  expires_at: string | null
}

/** What a user has, lot by lot, and what is set aside for open tasks. */
export interface CreditBalanceRow {
  id: string
  lots: readonly BalanceLot[]
  /** Parts of each open hold, by task. */
  holds: Readonly<Record<string, readonly LotPart[]>>
  captured: number
}

export const CreditBalanceTable = defineEntity({
  name: 'CreditBalanceRow',
  tableName: 'credit_balance',
  properties: {
    id: p.uuid().primary(),
    lots: p.json<BalanceLot[]>(),
    holds: p.json<Record<string, LotPart[]>>(),
    captured: p.integer(),
  },
})

const moved = (lots: readonly BalanceLot[], parts: readonly LotPart[], sign: 1 | -1) =>
  lots.map((lot) => {
    const part = parts.find(({ lotId }) => lotId === lot.id)
    return part ? { ...lot, left: lot.left + sign * part.amount } : lot
  })

const sum = (parts: readonly LotPart[]) => parts.reduce((total, { amount }) => total + amount, 0)

function settled(row: CreditBalanceRow, holdId: string) {
  const { [holdId]: parts = [], ...holds } = row.holds
  return { parts, holds }
}

export const creditBalances: Projection<CreditAccountEvent, CreditBalanceRow> = {
  name: 'creditBalances',
  version: 1,
  table: CreditBalanceTable,
  categories: [CREDIT_ACCOUNT],
  row: (event) => event.data.userId,
  on: {
    CreditLotGranted: (row, { data }) => {
      const lot = {
        id: data.lotId,
        source: data.source,
        granted: data.amount,
        left: data.amount,
        expires_at: data.expiresAt,
      }
      return { id: data.userId, holds: {}, captured: 0, ...row, lots: [...(row?.lots ?? []), lot] }
    },
    CreditsHeld: (row, { data }) =>
      row && {
        ...row,
        lots: moved(row.lots, data.parts, -1),
        holds: { ...row.holds, [data.holdId]: data.parts },
      },
    CreditsCaptured: (row, { data }) => {
      if (!row) return row
      const { parts, holds } = settled(row, data.holdId)
      return { ...row, holds, captured: row.captured + sum(parts) }
    },
    CreditsReleased: (row, { data }) => {
      if (!row) return row
      const { parts, holds } = settled(row, data.holdId)
      return { ...row, holds, lots: moved(row.lots, parts, 1) }
    },
  },
}

/** Credits of a row at an instant: spendable, and used (spent or set aside). */
export function creditFigures(row: CreditBalanceRow | undefined, at: string): { remaining: number; used: number } {
  if (!row) return { remaining: 0, used: 0 }
  const alive = row.lots.filter((lot) => lot.expires_at === null || lot.expires_at > at)
  const held = Object.values(row.holds).reduce((total, parts) => total + sum(parts), 0)
  return { remaining: alive.reduce((total, lot) => total + lot.left, 0), used: row.captured + held }
}
