import type { Context } from 'koa'
import { ACCESS_SECONDS, REFRESH_SECONDS, type SessionTokens } from './sessions.ts'

const YEAR_MS = 365 * 24 * 3600 * 1000
/** Tells scripts, which cannot read the session cookies, that there is a session. Grants nothing. */
const MARK = 'kinora_signed_in'

/**
 * Creates accessors for the session cookies and the device cookie. Over HTTPS, their names start with `__Host-`
 * (RFC 6265bis), so that other hosts in the domain cannot set them.
 */
export function createCookies(secure: boolean) {
  const nameOf = (name: string) => (secure ? `__Host-${name}` : name)
  const [access, refresh, device] = [nameOf('kinora_access'), nameOf('kinora_refresh'), nameOf('kinora_device')]
  const [challenge, start, flow] = [nameOf('kinora_challenge'), nameOf('kinora_start'), nameOf('kinora_flow')]
  const options = { sameSite: 'lax', path: '/', secure, overwrite: true } as const
  const set = (ctx: Context, name: string, value: string | undefined, maxAge: number, httpOnly = true) => {
    // Koa rejects secure cookies on unencrypted connections, such as those from a reverse proxy.
    ctx.cookies.secure = secure
    ctx.cookies.set(name, value ?? null, { ...options, maxAge, httpOnly })
  }
  const setMark = (ctx: Context, value: string | undefined) => set(ctx, MARK, value, REFRESH_SECONDS * 1000, false)

  return {
    /** Sets the session cookies, or removes them if `tokens` is undefined. */
    setSession(ctx: Context, tokens: SessionTokens | undefined): void {
      set(ctx, access, tokens?.access, ACCESS_SECONDS * 1000)
      set(ctx, refresh, tokens?.refresh, REFRESH_SECONDS * 1000)
      setMark(ctx, tokens && '1')
    },
    session: (ctx: Context) => ({ access: ctx.cookies.get(access), refresh: ctx.cookies.get(refresh) }),
    setChallenge: (ctx: Context, value: string, maxAgeMs: number) => set(ctx, challenge, value, maxAgeMs),
    challenge: (ctx: Context) => ctx.cookies.get(challenge),
    /** Sets the secret of a browser that asked for a sign-in link. */
    setStart: (ctx: Context, value: string, maxAgeMs: number) => set(ctx, start, value, maxAgeMs),
    start: (ctx: Context) => ctx.cookies.get(start),
    /** Sets the secret of a browser that signs in at a provider. */
    setFlow: (ctx: Context, value: string, maxAgeMs: number) => set(ctx, flow, value, maxAgeMs),
    flow: (ctx: Context) => ctx.cookies.get(flow),
    setDevice: (ctx: Context, value: string) => set(ctx, device, value, YEAR_MS),
    device: (ctx: Context) => ctx.cookies.get(device),
  }
}

export type Cookies = ReturnType<typeof createCookies>
