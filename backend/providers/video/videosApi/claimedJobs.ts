import type pg from 'pg'

/** Time for which a claim is kept: far longer than a create call and the search for its job. */
const KEPT = `interval '10 minutes'`

export type ClaimedJobs = ReturnType<typeof createClaimedJobs>

/**
 * Creates the list of jobs that belong to a task, which all processes share, so that no two tasks get the same video. A
 * job is claimed by the task whose answer names it, or adopted by a task whose answer was lost.
 */
export function createClaimedJobs(pool: Pick<pg.Pool, 'query'>) {
  return {
    /** Claims a job that the answer of its call names. Returns false if another task has adopted it. */
    async claim(jobId: string): Promise<boolean> {
      await pool.query(`delete from claimed_job where at < now() - ${KEPT}`)
      // An engine that has lost its memory may give an id again.
      const sql = `insert into claimed_job (job_id) values ($1)
        on conflict (job_id) do update set at = now() where not claimed_job.adopted`
      return (await pool.query(sql, [jobId])).rowCount === 1
    },

    /** Adopts a job of the engine's list, also again. Returns false if it belongs to another task. */
    async adopt(jobId: string, taskId: string): Promise<boolean> {
      const sql = `insert into claimed_job (job_id, adopted, task_id) values ($1, true, $2)
        on conflict (job_id) do update set at = now() where claimed_job.task_id = excluded.task_id`
      return (await pool.query(sql, [jobId, taskId])).rowCount === 1
    },

    /** Returns those of the jobs that belong to no other task. */
    async free(jobIds: readonly string[], taskId: string): Promise<string[]> {
      const sql = `select id from unnest($1::text[]) id
        where not exists (select from claimed_job where job_id = id and task_id is distinct from $2)`
      return (await pool.query<{ id: string }>(sql, [jobIds, taskId])).rows.map(({ id }) => id)
    },
  }
}
