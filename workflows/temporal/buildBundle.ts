import { rmSync } from 'node:fs'
import { BUILT, workflowBundle } from './bundle.ts'

// `npm run build` creates the bundle once, so workers start faster.
rmSync(BUILT, { recursive: true, force: true })
const { buildId } = await workflowBundle(BUILT)
console.log(`Bundled the workflows as version ${buildId}.`)
