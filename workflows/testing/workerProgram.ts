import path from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { workflowBundle } from '../temporal/bundle.ts'
import { TemporalEngine } from '../temporal/temporalEngine.ts'
import { contractPolicies } from './contractWorkflows.ts'

// A worker process for the test to kill. It prints a line when its activity starts. The activity never ends.
const [address, folder] = process.argv.slice(2) as [string, string]
new TemporalEngine({
  address,
  namespace: 'default',
  bundle: () => workflowBundle(folder, path.join(import.meta.dirname, 'contractSandbox.ts')),
  activities: {
    works: async () => {
      console.log('started')
      await delay(600_000)
    },
  },
  policies: contractPolicies,
  onError: console.error,
  log: { info: () => {}, warn: () => {} },
})
