import { runProgram } from './program.mjs'

await runProgram('backend/recover.ts', 'drill')
