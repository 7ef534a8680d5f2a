import type { Context } from 'koa'
import type pg from 'pg'
import { onlyRow } from '../kernel/postgres/onlyRow.ts'

interface Action {
  readonly action:
    | 'signed_in'
    | 'sign_in_refused'
    | 'sign_in_throttled'
    | 'signed_out'
    | 'exported'
    | 'credits_adjusted'
    | 'user_invited'
    | 'user_sessions_ended'
    | 'api_key_ended'
    | 'codes_issued'
    | 'act_ordered'
    | 'act_decided'
    | 'act_stopped'
    | 'person_shown'
    | 'note_written'
    | 'installation_changed'
    | 'bulk_ordered'
    | 'bulk_stopped'
    | 'case_assigned'
    | 'case_closed'
    | 'dossier_made'
    | 'codes_voided'
    | 'events_replayed'
    | 'message_resent'
    | 'graph_saved'
    | 'engine_connected'
    | 'engine_disconnected'
    | 'model_priced'
    | 'recovery_phrase_made'
    | 'second_factor_added'
    | 'second_factor_removed'
    | 'second_factor_refused'
    | 'recovery_codes_renewed'
    | 'recovery_code_used'
    | 'passkey_added'
    | 'passkey_removed'
    | 'operator_invited'
    | 'operator_joined'
    | 'operator_role_changed'
    | 'operator_removed'
    | 'password_reset_asked'
    | 'password_reset'
  readonly detail?: string
  /** The request; null for actions on the command line. */
  readonly ctx: Pick<Context, 'ip' | 'state'> | null
}

interface ActionRow extends Pick<Action, 'action'> {
  readonly at: Date
  readonly detail: string | null
  /** Name of the operator; null on the command line, before a sign-in, and in rows of earlier versions. */
  readonly operator: string | null
  readonly ip: string | null
}

export type RecordedAction = Action['action']

/** CSV export of the actions, newest first. The query takes no parameters. */
export const ACTIONS_FILE = {
  columns: ['at', 'action', 'detail', 'operator', 'ip'],
  sql: `select to_char(at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'), action, detail, operator, ip from operator_action
    order by id desc`,
} as const

/** Audit log of the operator's actions and refused sign-ins. Rows are never updated. */
export function createOperatorActions(pool: Pick<pg.Pool, 'query'>) {
  return {
    async record({ action, detail, ctx }: Action): Promise<void> {
      const row = [new Date(), action, detail ?? null, ctx?.ip ?? null, ctx?.state.operator ?? null]
      const sql = 'insert into operator_action (at, action, detail, ip, operator) values ($1, $2, $3, $4, $5)'
      await pool.query(sql, row)
    },

    /** Returns whether the operator who calls has signed in only once. */
    async isFirstSignIn({ state }: Pick<Context, 'state'>): Promise<boolean> {
      const sql = `select 1 from operator_action where action = 'signed_in' and operator = $1 limit 2`
      return (await pool.query(sql, [state.operator])).rowCount === 1
    },

    /** Records a throttled sign-in, at most once a minute. */
    async recordThrottle(ctx: NonNullable<Action['ctx']>): Promise<void> {
      const sql = `select 1 from operator_action where action = 'sign_in_throttled' and at > now() - interval '1 minute'`
      if ((await pool.query(`${sql} limit 1`)).rowCount === 0) await this.record({ action: 'sign_in_throttled', ctx })
    },

    /** Returns one page of actions, newest first, and their total number. Pages start at 1. */
    async list(page: number, perPage: number): Promise<{ rows: ActionRow[]; total: number }> {
      const { rows } = await pool.query<ActionRow>(
        'select at, action, detail, operator, ip from operator_action order by id desc limit $1 offset $2',
        [perPage, (page - 1) * perPage],
      )
      const counted = await pool.query<{ total: number }>('select count(*)::int as total from operator_action')
      return { rows, total: onlyRow(counted).total }
    },

    /** Deletes refused sign-ins, which may contain a stranger's address. Other actions are kept. */
    async deleteRefusalsBefore(before: Date): Promise<void> {
      await pool.query(
        `delete from operator_action where action in ('sign_in_refused', 'sign_in_throttled', 'second_factor_refused') and at < $1`,
        [before],
      )
    },
  }
}

export type OperatorActions = ReturnType<typeof createOperatorActions>
