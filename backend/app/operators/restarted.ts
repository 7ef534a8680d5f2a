import { createOperatorAlerts, SERVER_RESTARTED } from '../../operators/alerts/operatorAlerts.ts'
import type { Context } from '../context.ts'

const DETAIL =
  'A server process was started again after an uncaught error. Its log names the error in the line "uncaught error".'

/** Tells the operator that the supervisor started this process again. Does not throw: the process works. */
export const raiseRestarted = ({ pool, log }: Pick<Context, 'pool' | 'log'>): Promise<void> =>
  createOperatorAlerts(pool, log)
    .raise(SERVER_RESTARTED, DETAIL)
    .catch((err) => log.warn({ err }, 'operator not notified'))
