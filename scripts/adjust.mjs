import { runProgram } from './program.mjs'

await runProgram('backend/programs/adjust.ts')
