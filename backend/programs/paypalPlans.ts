import { withFiles } from '../app/config/settingFiles.ts'
import { parseOptions, runProgram } from '../kernel/commandLine.ts'
import { createPlans } from '../providers/payments/paypal/createPlans.ts'
import { createPaypalApi } from '../providers/payments/paypal/paypalApi.ts'

const usage = `npm run paypal:plans

Creates the plans at PayPal and prints their ids as environment variables. Needs PAYPAL_CLIENT_ID and PAYPAL_CLIENT_SECRET;
PAYPAL_BASE_URL selects PayPal's sandbox. A second run prints the same ids.`

async function printPlans() {
  parseOptions(process.argv.slice(2), {})
  const env = withFiles(process.env)
  const { PAYPAL_CLIENT_ID: clientId, PAYPAL_CLIENT_SECRET: clientSecret } = env
  const baseUrl = env.PAYPAL_BASE_URL || 'https://api-m.paypal.com'
  if (!clientId || !clientSecret) throw new Error('Set PAYPAL_CLIENT_ID and PAYPAL_CLIENT_SECRET: see .env.example')
  const ids = await createPlans(createPaypalApi({ clientId, clientSecret, baseUrl }))
  for (const [tier, id] of Object.entries(ids)) console.log(`PAYPAL_PLAN_${tier.toUpperCase()}=${id}`)
  return 0
}

const program = { usage, expected: [], print: console.log, printError: console.error }
process.exitCode = await runProgram(program, printPlans).catch((error) => {
  console.error((error as Error).message)
  return 1
})
