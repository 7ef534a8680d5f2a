import { runProgram } from './program.mjs'

await runProgram('backend/programs/rotateKey.ts')
