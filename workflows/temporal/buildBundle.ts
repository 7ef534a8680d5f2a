import { rmSync } from 'node:fs'
import { BUILT, workflowBundle } from './bundle.ts'

// `npm run build` makes the bundle once, so that no worker has to at its start.
rmSync(BUILT, { recursive: true, force: true })
const { buildId } = await workflowBundle(BUILT)
console.log(`The workflows are bundled as version ${buildId}.`)
