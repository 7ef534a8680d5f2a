import { randomUUID } from 'node:crypto'
import { createCredits } from '#backend/credits/credits.ts'
import { bySystem } from '#backend/kernel/eventsourcing/command.ts'
import { createHandle } from '#backend/kernel/eventsourcing/handle.ts'
import { createMemoryEventStore } from '#backend/kernel/eventsourcing/testing/memoryEventStore.ts'
import { traced } from '#backend/kernel/observability/tracing.ts'
import { compareRates } from './ratios/compareRates.ts'
import { record } from './table/record.ts'

/**
 * Shows that traces cost nothing while no collector is configured: `npm run bench -- tracing`. A hold on a store in memory, the
 * cheapest thing that is traced, is sent as it is, and with ten more spans around it than a request for a video has.
 */
const SPANS = 10

/** Holds credits in a log of its own, which would grow otherwise. */
const hold = async () => {
  const credits = createCredits(createHandle(createMemoryEventStore()))
  const userId = randomUUID()
  await credits.grantFreeCredits(userId, 60)
  await credits.hold({ userId, taskId: randomUUID(), amount: 30, openLimit: 3 }, bySystem('hold', userId)).send()
}

function within(spans: number): Promise<void> {
  return spans === 0 ? hold() : traced('work', { category: 'bench', spans }, () => within(spans - 1))
}

const sides = [{ work: () => within(SPANS) }, { work: hold }] as const
record('traces_off', await compareRates('hold with ten more spans', 1, ...sides))
