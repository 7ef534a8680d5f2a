import type { Context } from 'koa'
import type { Database } from '../../kernel/postgres/orm.ts'
import type { Clock } from '../../kernel/time.ts'
import type { Language } from '../contract.ts'
import { spendOnce } from '../factors/challenges.ts'
import { type About, seal, unseal } from '../keys/seal.ts'
import type { Cookies } from '../sessions/cookies.ts'
import { hashOf, newToken } from '../start/startDrafts.ts'
import type { SignInChecks } from './identityProvider.port.ts'

const LIFETIME_MS = 10 * 60_000

/** What a person wants from a provider. */
export interface Intent {
  /** Id of the provider. */
  readonly provider: string
  /** Page to open afterwards. */
  readonly next: string
  readonly language: Language
  /** The session that connects its account; undefined for a sign-in. */
  readonly session?: { readonly userId: string; readonly sessionId: string } | undefined
}

type Flow = Intent & Omit<SignInChecks, 'state'> & { readonly expiresAt: number }

export const FLOWS = 'sign-in flows'

/** A flow opens with the secret of the browser that began it only. */
const aboutFlow = (browser: string): About => ({ purpose: FLOWS, row: hashOf(browser) })

export type Flows = ReturnType<typeof createFlows>

/**
 * Creates the memory of sign-ins at providers. The provider carries a flow, sealed, as its `state`, so that beginning one
 * costs no row and tabs do not disturb each other. A cookie binds it to the browser. Its use is stored, so it works once.
 */
export function createFlows(database: Database, key: Buffer, cookies: Cookies, now: Clock = Date.now) {
  return {
    begin(ctx: Context, intent: Intent): SignInChecks {
      const browser = cookies.flow(ctx) || newToken()
      cookies.setFlow(ctx, browser, LIFETIME_MS)
      const [nonce, verifier] = [newToken(), newToken()]
      const flow: Flow = { ...intent, nonce, verifier, expiresAt: now() + LIFETIME_MS }
      const sealed = seal(key, Buffer.from(JSON.stringify(flow)), aboutFlow(browser))
      return { state: Buffer.from(sealed).toString('base64url'), nonce, verifier }
    },

    /** Returns the flow of this browser with a state, once; undefined if there is none. */
    async accept(ctx: Context, state: string): Promise<Flow | undefined> {
      const flow = open(key, state, cookies.flow(ctx) ?? '')
      if (!flow || flow.expiresAt < now()) return undefined
      return (await spendOnce(database, flow.nonce, flow.expiresAt, now())) ? flow : undefined
    },
  }
}

function open(key: Buffer, state: string, browser: string): Flow | undefined {
  try {
    const sealed = Buffer.from(state, 'base64url').toString()
    return JSON.parse(unseal(key, sealed, aboutFlow(browser)).toString()) as Flow
  } catch {
    return undefined
  }
}
