import type { Context } from 'koa'
import { Rejection } from '../../kernel/eventsourcing/pure/decider.ts'
import type { Serve } from '../../kernel/http/endpoint.ts'
import type { FactorEndpoints } from '../secondFactors.contract.ts'
import type { SecondFactors } from './secondFactors.ts'

/** Changes of second factors that are recorded. */
export type FactorChange =
  | 'second_factor_added'
  | 'second_factor_removed'
  | 'recovery_codes_renewed'
  | 'recovery_code_used'
  | 'passkey_added'
  | 'passkey_removed'

/** What the routes need to know about a user, or about the operator. */
export interface FactorOwner {
  /** Id under which the factors are stored. */
  readonly owner: string
  /** Name that authenticator apps show. */
  readonly label: string
  /** Id of the session. */
  readonly session: string
  /** Whether the owner should have a second factor. */
  readonly recommended: boolean
  /** @throws ValidationError no_password, wrong_password @throws Rejection too_many_requests */
  confirmPassword(password: string): Promise<void>
  /** Checks a code, within a rate limit, and records a failure. @throws ValidationError wrong_code */
  verify(code: string): Promise<void>
  /** Checks a passkey of the owner, within a rate limit. @throws Rejection passkey_refused */
  verifyPasskey(credential: object): Promise<void>
  /** Allows sensitive actions of this session for a while. */
  stepUp(): Promise<void>
  /** @throws Rejection step_up_required */
  requireStepUp(): Promise<void>
  record(change: FactorChange): Promise<void>
}

type OwnerOf = (ctx: Context, userId: string | undefined) => Promise<FactorOwner>

/** Serves the management of second factors. */
export function serveFactors(serve: Serve, endpoints: FactorEndpoints, factors: SecondFactors, ownerOf: OwnerOf): void {
  serve(endpoints.list, async ({ ctx, userId }) => {
    const { owner, recommended } = await ownerOf(ctx, userId)
    const state = await factors.list(owner)
    return { ...state, missing: recommended && !state.totp && state.passkeys.length === 0 }
  })

  serve(endpoints.beginTotp, async ({ body, ctx, userId }) => {
    const { owner, label, confirmPassword, requireStepUp } = await ownerOf(ctx, userId)
    await requireStepUp()
    await confirmPassword(body.password)
    return factors.beginTotp(owner, label)
  })

  serve(endpoints.confirmTotp, async ({ body, ctx, userId }) => {
    const { owner, record, stepUp, requireStepUp } = await ownerOf(ctx, userId)
    // Another factor may have been added since the setup began.
    await requireStepUp()
    const recovery_codes = await factors.confirmTotp(owner, body.code)
    await record('second_factor_added')
    await stepUp()
    return { recovery_codes }
  })

  serve(endpoints.removeTotp, async ({ ctx, userId }) => {
    const { owner, record, requireStepUp } = await ownerOf(ctx, userId)
    await requireStepUp()
    if (await factors.removeTotp(owner)) await record('second_factor_removed')
    return undefined
  })

  serve(endpoints.renewCodes, async ({ ctx, userId }) => {
    const { owner, record, requireStepUp } = await ownerOf(ctx, userId)
    // Before the step-up, which then also covers a factor that is added at the same time.
    if ((await factors.methods(owner)).length === 0) throw new Rejection('not_found', 'There is no second factor.')
    await requireStepUp()
    const recovery_codes = await factors.renewCodes(owner)
    await record('recovery_codes_renewed')
    return { recovery_codes }
  })

  servePasskeys(serve, endpoints, factors, ownerOf)

  serve(endpoints.checkStepUp, async ({ ctx, userId }) => {
    await (await ownerOf(ctx, userId)).requireStepUp()
    return undefined
  })

  serve(endpoints.stepUp, async ({ body, ctx, userId }) => {
    const { verify, stepUp } = await ownerOf(ctx, userId)
    await verify(body.code)
    await stepUp()
    return { message: 'Confirmed.' }
  })
}

function servePasskeys(serve: Serve, endpoints: FactorEndpoints, factors: SecondFactors, ownerOf: OwnerOf): void {
  serve(endpoints.beginPasskey, async ({ body, ctx, userId }) => {
    const { owner, label, session, confirmPassword, requireStepUp } = await ownerOf(ctx, userId)
    await requireStepUp()
    await confirmPassword(body.password)
    return { options: { ...(await factors.passkeys.creationOptions(ctx, session, owner, label)) } }
  })

  serve(endpoints.addPasskey, async ({ body, ctx, userId }) => {
    const { owner, session, record, stepUp, requireStepUp } = await ownerOf(ctx, userId)
    await requireStepUp()
    const recovery_codes = await factors.addPasskey(ctx, session, owner, body.name, body.credential)
    await record('passkey_added')
    await stepUp()
    return { recovery_codes }
  })

  serve(endpoints.removePasskey, async ({ params, ctx, userId }) => {
    const { owner, record, requireStepUp } = await ownerOf(ctx, userId)
    await requireStepUp()
    await factors.removePasskey(owner, params.passkey)
    await record('passkey_removed')
    return undefined
  })

  serve(endpoints.challenge, async ({ ctx }) => ({ options: { ...(await factors.passkeys.requestOptions(ctx)) } }))

  serve(endpoints.stepUpByPasskey, async ({ body, ctx, userId }) => {
    const { verifyPasskey, stepUp } = await ownerOf(ctx, userId)
    await verifyPasskey(body.credential)
    await stepUp()
    return { message: 'Confirmed.' }
  })
}
