import { setTimeout as delay } from 'node:timers/promises'
import { readConfig } from '../app/config/readConfig.ts'
import { startKinora } from '../app/kinora.ts'
import { createProviderDouble } from '../providers/video/testing/providerDouble.ts'
import { seeded } from './seeded.ts'

// Runs Kinora as a process for tests to kill. Like the demo renderer, its provider keeps jobs only in memory. It refuses
// prompts with the word "refused". With ENGINE=demo, the demo renderer takes its place.
const random = seeded(Number(process.env.SEED))
const finishAt = new Map<string, number>()
const rendering = {
  async create(request: { taskId: string; prompt: string }) {
    await delay(20)
    if (request.prompt.includes('refused'))
      return { kind: 'refused', code: 'content_refused', detail: 'As the test asked.' } as const
    finishAt.set(request.taskId, Date.now() + 200 + random() * 600)
    return { kind: 'accepted', jobId: request.taskId } as const
  },
  async state(jobId: string) {
    const at = finishAt.get(jobId)
    if (at === undefined) return { kind: 'unknown' } as const
    return Date.now() >= at ? ({ kind: 'finished' } as const) : ({ kind: 'rendering', percent: 50 } as const)
  },
}

async function main(): Promise<void> {
  const provider = { ...(await createProviderDouble()), ...rendering }
  const kinora = await startKinora(readConfig(process.env), process.env.ENGINE === 'demo' ? {} : { provider })
  console.log(`ready ${kinora.url}`)
}

void main()
