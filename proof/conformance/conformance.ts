import { parseArgs } from 'node:util'
import { runCases } from './cases.ts'

const USAGE = `Usage: CONFORMANCE_KEY=… npm run conformance -- --url <address> --model <model> [--seconds <number>] [--size <WxH>]
Orders about eight videos at the server, and prints a line for each case. The address ends in /v1.`

const text = { type: 'string' } as const
const { values } = parseArgs({ options: { url: text, model: text, seconds: text, size: text } })
const { url, model, ...order } = values
const key = process.env.CONFORMANCE_KEY

if (!url || !model || !key) {
  console.error(USAGE)
  process.exit(2)
}
let failed = 0
for await (const { name, result, reason } of runCases({ url: url.replace(/\/$/, ''), key, model, ...order })) {
  console.log(`${result}: ${name}${reason ? ` (${reason})` : ''}`)
  if (result === 'failed') failed++
}
process.exit(failed > 0 ? 1 : 0)
