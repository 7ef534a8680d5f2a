import type { Context } from 'koa'
import { Rejection } from '../../kernel/eventsourcing/pure/decider.ts'
import { API_BASE, safeNext } from '../../kernel/http/contract.ts'
import type { Serve } from '../../kernel/http/endpoint.ts'
import { networkAddress } from '../../kernel/http/fairness/networkAddress.ts'
import { instant } from '../../kernel/http/instant.ts'
import { rejectionOf } from '../../kernel/http/problemDetails.ts'
import type { Language } from '../contract.ts'
import * as contract from '../contract.ts'
import type { AccountRoutes } from '../routes.ts'
import { createSignIns } from '../sessions/signIns.ts'
import type { UserAccount } from '../tables.ts'
import type { Flows } from './flows.ts'
import { type IdentityProvider, ProviderUnavailable, SignInRefused } from './identityProvider.port.ts'
import { providerView } from './providerView.ts'

/** Page that tells a person what a sign-in at a provider needs, or why it failed. */
const PAGE = '/auth/provider'
const LOGO_POLICY = "default-src 'none'; style-src 'unsafe-inline'; img-src data:; sandbox; frame-ancestors 'none'"
const CONNECTED = '/profile/security#sign-ins'

type Flow = NonNullable<Awaited<ReturnType<Flows['accept']>>>

const localized = (page: string, language: Language) =>
  (language === 'zh' ? '/zh' : '') + page.replace(/^\/zh(?=[/?#]|$)/, '')

/** Returns the page with values in its fragment, which is neither logged nor sent to other sites. */
const pageWith = (language: Language, values: Readonly<Record<string, string>>) =>
  `${localized(PAGE, language)}#${new URLSearchParams(values)}`

/** Returns a function that finds a provider, and one that turns its failures into rejections. */
function createProviderCalls({ identityProviders, log }: AccountRoutes) {
  return {
    find(id: string): IdentityProvider {
      const found = identityProviders.find((provider) => provider.id === id)
      if (!found) throw new Rejection('not_found', 'There is no such way to sign in here.')
      return found
    },

    async ask<T>({ id }: IdentityProvider, question: Promise<T>): Promise<T> {
      try {
        return await question
      } catch (error) {
        const reason = error instanceof Error ? error.message : String(error)
        if (error instanceof SignInRefused) {
          log.info({ provider: id, reason }, 'sign-in at provider refused')
          throw new Rejection(reason === 'access_denied' ? 'provider_declined' : 'flow_invalid', DETAILS.flow_invalid)
        }
        if (!(error instanceof ProviderUnavailable)) throw error
        log.warn({ provider: id, reason }, 'sign-in provider unavailable')
        throw new Rejection('provider_unavailable', DETAILS.provider_unavailable, { retryAfter: 30 })
      }
    },
  }
}

const DETAILS = {
  flow_invalid: 'This sign-in has expired or was begun elsewhere. Please start again.',
  provider_unavailable: 'The sign-in service does not answer. Please try again in a moment, or use another way.',
}

/** Serves sign-ins with accounts that people have elsewhere, and the connections of an account. */
export function serveIdentities(serve: Serve, services: AccountRoutes): void {
  const { identityProviders, flows, publicUrl, log } = services
  const { find, ask } = createProviderCalls(services)
  const finish = createFinish(services)
  const addressOf = ({ id }: IdentityProvider) => `${publicUrl()}${API_BASE}${contract.PROVIDERS_PATH}/${id}/callback`
  const providers = identityProviders.map(providerView)

  serve(contract.listProviders, () => ({ providers }))

  serve(contract.providerLogo, ({ params, ctx }) => {
    const { logo } = find(params.provider)
    if (!logo) throw new Rejection('not_found', 'This provider has no logo.')
    // An SVG may style itself, and, opened as a page, still runs nothing.
    ctx.set({ 'Cache-Control': 'public, max-age=31536000, immutable', 'Content-Security-Policy': LOGO_POLICY })
    ctx.type = logo.type
    ctx.body = logo.bytes
    return undefined
  })

  serve(contract.startProvider, async ({ params, query, ctx }) => {
    const provider = find(params.provider)
    const language = query.language ?? languageOf(ctx)
    const next = safeNext(query.next?.slice(0, MAX_NEXT), '/workspace', publicUrl())
    try {
      const checks = flows.begin(ctx, { provider: provider.id, next, language })
      ctx.redirect((await ask(provider, provider.authorize(addressOf(provider), checks))).href)
    } catch (error) {
      const { code } = rejectionOf(log, error, { provider: provider.id })
      ctx.redirect(pageWith(language, { problem: code, provider: provider.id, next }))
    }
    return undefined
  })

  serve(contract.finishProvider, async ({ params, ctx }) => {
    const provider = find(params.provider)
    const flow = await flows.accept(ctx, String(ctx.query.state ?? ''))
    const language = flow?.language ?? languageOf(ctx)
    const callback = new URL(`${addressOf(provider)}${ctx.search}`)
    try {
      if (flow?.provider !== provider.id) throw new Rejection('flow_invalid', DETAILS.flow_invalid)
      const checks = { ...flow, state: String(ctx.query.state) }
      const page = await finish(ctx, provider, flow, () => ask(provider, provider.redeem(callback, checks)))
      ctx.redirect(page)
    } catch (error) {
      const { code, fields } = rejectionOf(log, error, { provider: provider.id })
      const outcome: Record<string, string> =
        typeof fields.ticket === 'string' ? { ticket: fields.ticket } : { problem: code }
      const from = { connects: flow?.session ? '1' : '', next: flow?.next ?? '/workspace' }
      ctx.redirect(pageWith(language, { ...outcome, provider: provider.id, ...from }))
    }
    return undefined
  })

  serveConnections(serve, services, { find, ask, addressOf })
}

/** Longest page that a sign-in remembers: providers refuse long addresses. */
const MAX_NEXT = 1_000

const languageOf = (ctx: Context): Language => (ctx.acceptsLanguages('en', 'zh') === 'zh' ? 'zh' : 'en')

type Ask = ReturnType<typeof createProviderCalls>['ask']
type Redeem = () => ReturnType<IdentityProvider['redeem']>

/** Creates the function that signs in, or connects the account of the session. It returns the page to open. */
function createFinish(services: AccountRoutes) {
  const { accounts, attempts, identities, notifyFactor, securityLog, sessions } = services
  const signIns = createSignIns(services)

  const announce = async (ctx: Context, account: UserAccount, { name }: IdentityProvider) => {
    await securityLog.record(ctx, account.id, 'identity_connected')
    await notifyFactor(account, 'identity_connected', { provider: name })
  }

  const connect = async (ctx: Context, provider: IdentityProvider, flow: Flow, redeem: Redeem) => {
    const session = await sessions.current(ctx)
    if (!session || session.sessionId !== flow.session?.sessionId)
      throw new Rejection('flow_invalid', DETAILS.flow_invalid)
    const isNew = await identities.connect(session.userId, provider.issuer, await redeem())
    const account = await accounts.byId(session.userId)
    if (isNew && account) await announce(ctx, account, provider)
    return localized(CONNECTED, flow.language)
  }

  return async (ctx: Context, provider: IdentityProvider, flow: Flow, redeem: Redeem): Promise<string> => {
    if (flow.session) return connect(ctx, provider, flow, redeem)
    const address = networkAddress(ctx)
    await attempts.take(ctx, 'sign in from', address)
    const profile = await redeem().catch(async (error) => {
      if (error instanceof Rejection && error.code === 'flow_invalid')
        await securityLog.record(ctx, null, 'sign_in_failed')
      throw error
    })
    const { account, isConnected } = await identities.signIn(provider.issuer, profile, flow.language)
    await attempts.giveBack(ctx, 'sign in from', address)
    if (isConnected) await announce(ctx, account, provider)
    await signIns.openOrAsk(ctx, account)
    return localized(flow.next, account.language)
  }
}

interface ProviderDoors {
  readonly find: (id: string) => IdentityProvider
  readonly ask: Ask
  readonly addressOf: (provider: IdentityProvider) => string
}

/** Serves the connections of a signed-in user. */
function serveConnections(serve: Serve, services: AccountRoutes, { find, ask, addressOf }: ProviderDoors): void {
  const { accounts, confirmations, flows, identities, identityProviders, notifyFactor, securityLog } = services

  serve(contract.listIdentities, async ({ userId }) => {
    const own = new Map((await identities.list(userId)).map((row) => [row.issuer, row]))
    return {
      identities: identityProviders.map((provider) => {
        const { email = null, connected_at } = own.get(provider.issuer) ?? {}
        return { ...providerView(provider), email, connected_at: connected_at ? instant(connected_at) : null }
      }),
    }
  })

  serve(contract.connectIdentity, async ({ params, body, userId, ctx }) => {
    await confirmations.confirmConnection(ctx, userId, body.password)
    const provider = find(params.provider)
    const account = await accounts.byId(userId)
    if (!account) throw new Rejection('unauthenticated', 'Please sign in.')
    const session = { userId, sessionId: String(ctx.state.sessionId) }
    const intent = { provider: provider.id, next: CONNECTED, language: account.language, session }
    return { url: (await ask(provider, provider.authorize(addressOf(provider), flows.begin(ctx, intent)))).href }
  })

  serve(contract.disconnectIdentity, async ({ params, userId, ctx }) => {
    await confirmations.requireStepUp(ctx, userId)
    const provider = find(params.provider)
    const issuers = identityProviders.map(({ issuer }) => issuer)
    await identities.disconnect(userId, provider.issuer, issuers)
    await securityLog.record(ctx, userId, 'identity_disconnected')
    const account = await accounts.byId(userId)
    if (account) await notifyFactor(account, 'identity_disconnected', { provider: provider.name })
    return undefined
  })
}
