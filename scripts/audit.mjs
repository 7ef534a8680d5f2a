import { runProgram } from './program.mjs'

await runProgram('backend/audit.ts')
