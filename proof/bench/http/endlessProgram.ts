import { readConfig } from '#backend/app/config/readConfig.ts'
import { startKinora } from '#backend/app/kinora.ts'
import { createProviderDouble } from '#backend/providers/video/testing/providerDouble.ts'
import { PLANS } from '#backend/subscriptions/plans.contract.ts'

// Runs Kinora with free plans that allow any number of videos, and with a provider double that has no free slot: each
// accepted task is queued and never rendered.
Object.assign(PLANS.free, { credits: 1_000_000_000, waiting: 1_000_000 })
const provider = await createProviderDouble()
const kinora = await startKinora(readConfig(process.env), { provider: { ...provider, acquire: async () => 3_600_000 } })
process.once('SIGINT', () => void kinora.stop().then(() => process.exit(0)))
console.log(`ready ${kinora.url}`)
