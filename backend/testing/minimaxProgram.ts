import { readFileSync } from 'node:fs'
import { readConfig } from '../app/config/readConfig.ts'
import { startKinora } from '../app/kinora.ts'
import { QUICK_TIMING } from './quickTiming.ts'

/** Returns how far the test has moved the clock, in ms. The test writes it to a file while the process runs. */
const moved = () => {
  try {
    return Number(readFileSync(process.env.MOVED_MS_FILE ?? '', 'utf8'))
  } catch {
    return 0
  }
}

/** Runs Kinora with MiniMax as a process to be killed, with short intervals. */
const kinora = await startKinora(readConfig(process.env), { minimax: QUICK_TIMING, now: () => Date.now() + moved() })
console.log(`ready ${kinora.url}`)
