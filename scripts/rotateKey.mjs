import { runProgram } from './program.mjs'

await runProgram('backend/rotateKey.ts')
