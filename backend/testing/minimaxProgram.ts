import { readFileSync } from 'node:fs'
import { readConfig } from '../app/config/readConfig.ts'
import { startKinora } from '../app/kinora.ts'
import { QUICK_TIMING } from './quickTiming.ts'

/** By how many milliseconds the test has moved the clock on; kept in a file, so that it moves while the program runs. */
const moved = () => {
  try {
    return Number(readFileSync(process.env.MOVED_MS_FILE ?? '', 'utf8'))
  } catch {
    return 0
  }
}

/** Kinora with MiniMax as a program of its own, to be killed; the provider's minutes pass in moments. */
const kinora = await startKinora(readConfig(process.env), { minimax: QUICK_TIMING, now: () => Date.now() + moved() })
console.log(`ready ${kinora.url}`)
