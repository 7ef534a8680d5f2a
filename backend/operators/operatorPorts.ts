import type pg from 'pg'
import { createVisitors } from '../analytics/visitors.ts'
import type { Changes } from '../kernel/postgres/changes.ts'
import { createBoard } from './board.ts'
import { createOperatorActions } from './operatorActions.ts'
import { operatorDays } from './operatorDays.ts'
import { createOperatorCookie } from './operatorRoutes.ts'
import { createOperatorSessions } from './operatorSessions.ts'
import { createUserFigures } from './userFigures.ts'

interface Around {
  readonly config: {
    readonly operators: { readonly username: string; readonly password: string; readonly timeZone: string }
  }
  readonly pool: pg.Pool
  readonly changes: Changes
}

/** The parts of the operator's side, put together. */
export function operatorPorts({ config, pool, changes }: Around, publicUrl: () => string) {
  const operator = config.operators
  return {
    operator,
    operatorSessions: createOperatorSessions(pool, changes),
    operatorActions: createOperatorActions(pool),
    operatorCookie: createOperatorCookie(publicUrl().startsWith('https://')),
    visitors: createVisitors(pool),
    board: createBoard(pool),
    userFigures: createUserFigures(pool),
    dayOf: operatorDays(operator.timeZone),
    timeZone: operator.timeZone,
  }
}
