import { runProgram } from './program.mjs'

await runProgram('backend/programs/recover.ts', 'drill')
