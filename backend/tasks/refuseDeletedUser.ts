import { Rejection } from '../kernel/eventsourcing/pure/decider.ts'

/** SQLSTATE of a row that refers to none. */
const FOREIGN_KEY_VIOLATION = '23503'

/**
 * Handles the error of a statement that adds a row of a user, who may have been deleted since the session was checked.
 * @throws Rejection unauthenticated, if the user was deleted; otherwise the error
 * @example await pool.query(sql, [userId]).catch(refuseDeletedUser)
 */
export function refuseDeletedUser(error: unknown): never {
  if ((error as { code?: unknown }).code !== FOREIGN_KEY_VIOLATION) throw error
  throw new Rejection('unauthenticated', 'This account was deleted.')
}
