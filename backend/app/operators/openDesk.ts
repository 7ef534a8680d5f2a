import { readVideoTasks } from '#projections/tasks/readVideoTasks.ts'
import type { AccountServices } from '../../accounts/accountServices.ts'
import { createNotes } from '../../desk/notes.ts'
import type { DeskRoutes } from '../../desk/routes.ts'
import { isUuid } from '../../kernel/eventsourcing/uuid7.ts'
import type { Adapters } from '../adapters.ts'
import type { Context } from '../context.ts'
import type { Services } from '../services.ts'
import { casesOnBoard, type OpenCases } from './casesOnBoard.ts'
import { deskOnBoard } from './deskOnBoard.ts'
import type { OpenOperators } from './openOperators.ts'
import { createPersonAt } from './personAt.ts'
import { personOnBoard } from './personOnBoard.ts'
import { searchOnBoard } from './searchOnBoard.ts'
import { type OpenTriage, triageOnBoard } from './triageOnBoard.ts'

export type OpenDesk = Omit<DeskRoutes, 'requireStepUp' | 'record'> & {
  readonly openCases: OpenCases
  readonly openTriage: OpenTriage
}

/** Creates what the desk reads and orders. */
export function openDesk(
  context: Context,
  { media }: Pick<Adapters, 'media'>,
  services: Services,
  accounts: AccountServices,
  opened: OpenOperators,
): OpenDesk {
  const desk = deskOnBoard(context, services, accounts, opened)
  return {
    ...desk,
    openCases: casesOnBoard(context, services),
    openTriage: triageOnBoard(context),
    media,
    search: searchOnBoard(context, services),
    person: personOnBoard(context, services, accounts, desk),
    personAt: createPersonAt(context),
    notes: createNotes(context.pool),
    async poster(id) {
      const [task] = isUuid(id) ? await readVideoTasks(context.database, [id]) : []
      return task?.status === 'Success' ? services.copies.poster(task) : undefined
    },
  }
}
