import { type BulkKind, type Group, orderBulk, readTriage, stopBulk } from '#backend/triage/contract.ts'
import { call } from '../../../api/api.ts'
import { boardSection } from '../boardSection.ts'

export const triage = boardSection(async () => {
  const { success, groups, bulks } = await call(readTriage)
  return { success, data: { groups, bulks } }
})

/** What is done to the videos of a group. */
export const kindOf = ({ state }: Group): BulkKind => (state === 'stuck' ? 'release_task' : 'retry_task')

/** Counts the videos of a group. @throws ApiError */
export const count = (group: Group) => {
  const { code, engine } = group
  return call(orderBulk, { body: { kind: kindOf(group), code, engine, dry_run: true, reason: '' } })
}

/** Orders an action for each video of a group. @throws ApiError count_changed */
export async function order(group: Group, expected: number, reason: string, id: string): Promise<void> {
  const { code, engine } = group
  await call(orderBulk, { body: { kind: kindOf(group), code, engine, dry_run: false, expected, reason, id } })
  await triage.load()
}

/** @throws ApiError */
export async function stop(id: string): Promise<void> {
  await call(stopBulk, { params: { id } })
  await triage.load()
}
