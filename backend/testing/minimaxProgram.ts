import { readFileSync } from 'node:fs'
import { readConfig } from '../app/config/readConfig.ts'
import { startKinora } from '../app/kinora.ts'
import { QUICK_TIMING } from './quickTiming.ts'

/** Returns the clock offset in milliseconds, which the test writes to a file while the process runs. */
const moved = () => {
  try {
    return Number(readFileSync(process.env.MOVED_MS_FILE ?? '', 'utf8'))
  } catch {
    return 0
  }
}

// Runs Kinora with MiniMax and short intervals, as a process for tests to kill.
async function main(): Promise<void> {
  const overrides = { minimax: QUICK_TIMING, now: () => Date.now() + moved() }
  const kinora = await startKinora(readConfig(process.env), overrides)
  console.log(`ready ${kinora.url}`)
}

void main()
