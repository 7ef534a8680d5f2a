import { runProgram } from './program.mjs'

await runProgram('backend/adjust.ts')
