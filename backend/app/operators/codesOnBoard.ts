import { readBatch, readCodes } from '#projections/codes/readCodes.ts'
import { isUuid } from '../../kernel/eventsourcing/uuid7.ts'
import { instant, instantOrNull } from '../../kernel/http/instant.ts'
import type { CodesOnBoard } from '../../operators/codeRoutes.ts'
import type { Context } from '../context.ts'
import type { Services } from '../services.ts'

const DAY_MS = 24 * 3_600_000

/** Creates the list of codes on the operator's board, and the issue and the end of some. */
export function codesOnBoard({ database, calendar }: Context, { codes }: Pick<Services, 'codes'>): CodesOnBoard {
  return {
    async list(page, perPage) {
      const { rows, total } = await readCodes(database, { page, perPage })
      const listed = rows.map(({ batch_id: _, ...row }) => ({
        ...row,
        issued_at: instant(row.issued_at),
        expires_at: instantOrNull(row.expires_at),
        voided_at: instantOrNull(row.voided_at),
      }))
      return { codes: listed, total }
    },

    issue({ count, expires_in_days: days, ...terms }, by) {
      const expiresAt = days === null ? null : new Date(calendar() + days * DAY_MS).toISOString()
      return codes.issue({ ...terms, expiresAt }, count, by)
    },

    async void(id, ofBatch, by) {
      const batch = isUuid(id) ? await readBatch(database, id) : []
      const chosen = ofBatch ? batch : batch.filter((code) => code.id === id)
      const ids = chosen.map((code) => code.id)
      await codes.void(ids, by)
      return chosen
    },
  }
}
