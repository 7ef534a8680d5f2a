import { readFileSync } from 'node:fs'
import { createCredits } from '#backend/credits/credits.ts'
import { bySystem } from '#backend/kernel/eventsourcing/command.ts'
import type { EventStore } from '#backend/kernel/eventsourcing/eventStore.port.ts'
import { createHandle } from '#backend/kernel/eventsourcing/handle.ts'
import { uuid7 } from '#backend/kernel/eventsourcing/uuid7.ts'
import { parseModel } from '#backend/tasks/catalogue/catalogue.ts'
import type { Generation } from '#backend/tasks/contract.ts'
import { submitTask } from '#backend/tasks/tasks.ts'

const MODEL = parseModel(JSON.parse(readFileSync('content/models/MiniMax-Hailuo-02.json', 'utf8')))

export const BENCH_GENERATION: Generation = {
  ...{ task_type: 'text_to_video', model: MODEL.id, prompt: 'A lake at dawn', duration: 6, resolution: '768P' },
  ...{ camera_movements: [], prompt_optimizer: true },
}

/** Returns the commands of a video without HTTP, with an allowance that never ends. */
export function createVideoCommands(store: EventStore) {
  const handle = createHandle(store)
  const credits = createCredits(handle)
  const deps = {
    ...{ handle, credits, clock: Date.now, catalogue: { offered: () => [MODEL] } },
    allowance: async () => ({ openTasks: 1_000_000, priority: 1, fullHd: true }),
    encrypt: async (_: object, text: string) => text,
    understands: () => undefined,
  }
  return {
    credits,
    /** Holds the credits of a video, records its task and asks for a render slot, in one commit. */
    generate(userId: string) {
      const taskId = uuid7()
      const task = { taskId, userId, generation: BENCH_GENERATION, images: { firstFrame: null } }
      return submitTask(deps, task, bySystem('generate', taskId))
    },
  }
}
