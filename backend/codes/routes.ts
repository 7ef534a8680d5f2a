import type { Serve } from '../kernel/http/endpoint.ts'
import type { Codes } from './codes.ts'
import * as contract from './contract.ts'

type Limit = Readonly<{ burst: number; everyMs: number }>
type Count = (kind: string, subject: string, limit: Limit) => Promise<void>

interface CodeRoutes {
  readonly codes: Pick<Codes, 'redeem'>
  readonly throttle: { readonly take: Count; readonly giveBack: Count }
  readonly stats: (userId: string) => Promise<contract.Stats>
}

/** Wrong tries of a user: ten in a row, and ten per hour. */
const WRONG_TRIES: Limit = { burst: 10, everyMs: 6 * 60_000 }

export function serveCodes(serve: Serve, { codes, throttle, stats }: CodeRoutes): void {
  serve(contract.redeem, async ({ userId, body, command }) => {
    // Counted before the code is looked up, so that parallel guesses count in full.
    await throttle.take('code', userId, WRONG_TRIES)
    const credits = await codes.redeem(userId, body.code, command())
    await throttle.giveBack('code', userId, WRONG_TRIES)
    return { credits, stats: await stats(userId) }
  })
}
