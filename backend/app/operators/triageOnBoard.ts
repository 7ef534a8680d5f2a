import { readBulks, readRepeated } from '#projections/desk/readBulks.ts'
import { readTroubled } from '#projections/tasks/readTroubled.ts'
import { instant } from '../../kernel/http/instant.ts'
import type { TriageRoutes } from '../../triage/routes.ts'
import { type Candidate, createTriage } from '../../triage/triage.ts'
import type { Context } from '../context.ts'

export type OpenTriage = Pick<TriageRoutes, 'triage' | 'bulks'>

const HOUR_MS = 3_600_000
/** Time after which a video that waits, or is being made, is stuck. */
const STUCK_MS = { waiting: HOUR_MS, made: HOUR_MS / 2 }
const FAILED_MS = 7 * 24 * HOUR_MS

/** Creates the triage of stuck and failed videos. */
export function triageOnBoard(context: Context): OpenTriage {
  const { database, clock } = context
  const candidates = async (): Promise<Candidate[]> => {
    const now = clock()
    const before = { waiting: new Date(now - STUCK_MS.waiting), made: new Date(now - STUCK_MS.made) }
    const rows = await readTroubled(database, before, new Date(now - FAILED_MS))
    const repeated = await readRepeated(
      database,
      rows.map(({ id }) => id),
    )
    return rows
      .filter(({ id }) => !repeated.has(id))
      .map(({ id, user_id, credits, engine, error_code: code, created_at }) => ({
        ...{ taskId: id, userId: user_id, credits, engine, code, since: instant(created_at) },
        state: code === null ? 'stuck' : 'failed',
      }))
  }
  return {
    triage: createTriage({ ...context, candidates }),
    bulks: async () => (await readBulks(database)).map((row) => ({ ...row, asked_at: instant(row.asked_at) })),
  }
}
