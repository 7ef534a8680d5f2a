import { defineEntity, p } from '@mikro-orm/core'
import { type Audience, CODE, CODE_EVENTS, type CodeEvent } from '#backend/codes/events.ts'
import type { Projection, RowOf } from '../engine/projection.ts'

/** A code that an operator has issued, and how often it was redeemed. */
const CreditCodeTable = defineEntity({
  name: 'CreditCodeRow',
  tableName: 'credit_code',
  properties: {
    id: p.uuid().primary(),
    batch_id: p.uuid(),
    label: p.text(),
    hint: p.text(),
    credits: p.integer(),
    uses: p.integer(),
    used: p.integer(),
    audience: p.text().$type<Audience>(),
    expires_at: p.datetime().nullable(),
    issued_at: p.datetime(),
    voided_at: p.datetime().nullable(),
  },
})
export type CreditCodeRow = RowOf<typeof CreditCodeTable>

export const creditCodes: Projection<CodeEvent, CreditCodeRow> = {
  name: 'creditCodes',
  version: 1,
  table: CreditCodeTable,
  categories: [CODE],
  schemas: CODE_EVENTS,
  row: ({ data }) => data.codeId,
  on: {
    CodeIssued: (_, { data }) => ({
      id: data.codeId,
      batch_id: data.batchId,
      label: data.label,
      hint: data.hint,
      credits: data.credits,
      uses: data.uses,
      used: 0,
      audience: data.audience,
      expires_at: data.expiresAt,
      issued_at: data.at,
      voided_at: null,
    }),
    CodeRedeemed: (row) => row && { ...row, used: row.used + 1 },
    CodeVoided: (row, { data }) => row && { ...row, voided_at: data.at },
  },
}
