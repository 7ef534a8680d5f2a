import path from 'node:path'
import { readConfig } from '../app/config/readConfig.ts'
import { startKinora } from '../app/kinora.ts'
import { createDemoProvider } from '../providers/video/demo/demoProvider.ts'
import type { RenderRequest } from '../tasks/videoProvider.port.ts'

// Runs Kinora as a process whose demo renderer makes small, short videos, for tests that are not about rendering.
async function main(): Promise<void> {
  const config = readConfig(process.env)
  const demo = createDemoProvider(path.join(config.dataDir, 'demo'), config.video.ffmpegPath)
  const create = (request: RenderRequest) => demo.create({ ...request, resolution: '144P', duration: 2 })
  const kinora = await startKinora(config, { provider: { ...demo, create } })
  process.once('SIGINT', () => void kinora.stop().then(() => process.exit(0)))
  console.log(`ready ${kinora.url}`)
}

void main()
