import type { Workflow } from '../engine/engine.port.ts'

export interface RunBulkActivities {
  /**
   * Orders the actions of the next videos of a bulk, and waits for their outcomes. Returns the place of the first video that is
   * left; null if the bulk has ended or was stopped.
   */
  runBulkPart(input: { bulkId: string; from: number }): Promise<number | null>
}

/** Carries out a bulk of actions, one video after the other, until it ends or is stopped. */
export const runBulk: Workflow<RunBulkActivities, { bulkId: string }> = {
  type: 'runBulk',
  id: ({ bulkId }) => `bulk-${bulkId}`,
  async run({ activities }, { bulkId }) {
    for (let from: number | null = 0; from !== null; ) from = await activities.runBulkPart({ bulkId, from })
  },
}
