import { readConfig } from '#backend/app/config/readConfig.ts'
import { startKinora } from '#backend/app/kinora.ts'
import { PLANS } from '#backend/subscriptions/plans.contract.ts'
import { writeCounts } from './processCounts.ts'

// Runs Kinora with free plans that allow any number of videos, and with a double of MiniMax that calls back to a private
// address.
const { DATA_DIR = '', KINORA_BENCH_PROCESS: name = '', KINORA_BENCH_WATERMARK } = process.env
Object.assign(PLANS.free, { waiting: 1_000_000, concurrent: 1_000_000, watermark: KINORA_BENCH_WATERMARK === 'yes' })
writeCounts(DATA_DIR, name)
const kinora = await startKinora(readConfig(process.env), { minimax: { callbacks: true } })
process.once('SIGINT', () => void kinora.stop().then(() => process.exit(0)))
console.log(`ready ${kinora.url}`)
