import path from 'node:path'
import { readConfig } from '../app/config/readConfig.ts'
import { startKinora } from '../app/kinora.ts'
import { createDemoProvider } from '../providers/video/demo/demoProvider.ts'
import type { VideoProvider } from '../tasks/videoProvider.port.ts'

/** A prompt with this word is rendered until it is cancelled, so that the next videos of its owner wait. */
const ENDLESS = 'endless'

// Runs Kinora as a process whose demo renderer makes small, short videos, for tests that are not about rendering.
async function main(): Promise<void> {
  const config = readConfig(process.env)
  const demo = createDemoProvider(path.join(config.dataDir, 'demo'), config.video.ffmpegPath)
  const endless = new Set<string>()
  const provider: VideoProvider = {
    ...demo,
    async create(request) {
      const { taskId, prompt } = request
      if (!prompt.includes(ENDLESS)) return demo.create({ ...request, resolution: '144P', duration: 2 })
      endless.add(taskId)
      return { kind: 'accepted', jobId: taskId }
    },
    state: async (jobId, signal) =>
      endless.has(jobId) ? { kind: 'rendering', percent: 50 } : demo.state(jobId, signal),
    cancel: async (jobId, signal) =>
      endless.delete(jobId) ? 'cancelled' : (demo.cancel?.(jobId, signal) ?? 'too_late'),
  }
  const kinora = await startKinora(config, { provider })
  process.once('SIGINT', () => void kinora.stop().then(() => process.exit(0)))
  console.log(`ready ${kinora.url}`)
}

void main()
