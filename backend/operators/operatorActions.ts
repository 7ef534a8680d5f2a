import type pg from 'pg'

export type ActionKind = 'signed_in' | 'sign_in_refused' | 'signed_out' | 'exported' | 'credits_adjusted'

interface Action {
  readonly action: ActionKind
  readonly detail?: string
  /** Null where none came over the network. */
  readonly ip: string | null
}

interface ActionRow {
  readonly at: Date
  readonly action: ActionKind
  readonly detail: string | null
  readonly ip: string | null
}

/** What the operator did, or somebody in the operator's name. Rows are added, and never changed. */
export function createOperatorActions(pool: Pick<pg.Pool, 'query'>, now: () => number = Date.now) {
  return {
    async note({ action, detail, ip }: Action): Promise<void> {
      await pool.query('insert into operator_action (at, action, detail, ip) values ($1, $2, $3, $4)', [
        new Date(now()),
        action,
        detail ?? null,
        ip,
      ])
    },

    /** The newest first, and how many there are in all. */
    async list(page: number, perPage: number): Promise<{ actions: ActionRow[]; total: number }> {
      const { rows } = await pool.query<ActionRow>(
        'select at, action, detail, ip from operator_action order by id desc limit $1 offset $2',
        [perPage, (page - 1) * perPage],
      )
      const counted = await pool.query<{ total: number }>('select count(*)::int as total from operator_action')
      return { actions: rows, total: counted.rows[0]!.total }
    },
  }
}

export type OperatorActions = ReturnType<typeof createOperatorActions>
