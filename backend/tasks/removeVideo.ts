import type { CommandContext } from '../kernel/eventsourcing/command.ts'
import { derivedId } from '../kernel/eventsourcing/pure/eventHash.ts'
import type { Marks } from './library/marks.ts'
import type { Shares } from './shares/shares.ts'
import type { Tasks } from './tasks.ts'
import type { Works } from './works.ts'

interface Removing {
  readonly works: Pick<Works, 'readManaged'>
  readonly tasks: Pick<Tasks, 'remove'>
  readonly shares: Pick<Shares, 'end'>
  readonly marks: Pick<Marks, 'remove'>
}

/**
 * Deletes a task of the caller, or cancels a waiting one, with its share and marks.
 * @throws Rejection not_found, forbidden, task_in_progress
 */
export async function removeVideo(
  { works, tasks, shares, marks }: Removing,
  userId: string,
  id: string,
  command: (commandId: string) => CommandContext,
): Promise<void> {
  const task = await works.readManaged(userId, id)
  await tasks.remove(task, command(derivedId('delete', id)))
  await shares.end(task)
  await marks.remove(task)
}
