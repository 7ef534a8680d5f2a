import { mkdtemp } from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import { FULL } from '#backend/testing/fullRun.ts'
import { videoProviderContract } from '../testing/videoProviderContract.ts'
import { createDemoProvider } from './demoProvider.ts'

videoProviderContract(
  'the demo renderer',
  async () => createDemoProvider(await mkdtemp(path.join(os.tmpdir(), 'kinora-demo-'))),
  // renderJob.int.spec.ts renders at full size.
  FULL ? {} : { resolution: '144P', duration: 2 },
)
