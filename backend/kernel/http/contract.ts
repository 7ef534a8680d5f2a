import * as z from 'zod/mini'

export { safeNext } from './safeNext.contract.ts'

type Schema = z.ZodMiniType
/**
 * Who may call an endpoint: anyone, anyone whose session or key is read if there is one, a signed-in user, a program with an API key, or the operator, who has a separate session.
 */
export type Access = 'public' | 'visitor' | 'user' | 'key' | 'operator'

/** What an API key may be allowed to do. */
export const SCOPES = ['videos:write', 'videos:read', 'account:read', 'webhooks:write'] as const
export type Scope = (typeof SCOPES)[number]

/** Roles of operators. Each may do what those before it may. Who was invited may only set up a second factor. */
export const OPERATOR_ROLES = ['invited', 'viewer', 'support', 'owner'] as const
export type OperatorRole = (typeof OPERATOR_ROLES)[number]

/** Declaration of an API endpoint, from which clients, the server and the OpenAPI description are derived. */
export interface Endpoint<
  Path extends string = string,
  Body extends Schema = Schema,
  Query extends Schema = Schema,
  Answer extends Schema = Schema,
  Caller extends Access = Access,
> {
  readonly method: Method
  /** Path relative to `/api/v1`, with parameters as `:name`. */
  readonly path: Path
  readonly access: Caller
  /** Scope of the API keys that may call it, too. Without one, no key may. */
  readonly scope?: Scope
  /** Lowest role of the operators who may call it. Writes of operators name theirs; `viewer` by default. */
  readonly role?: OperatorRole
  /** Refused to a suspended account. */
  readonly unlessSuspended?: true
  readonly body?: Body
  /** Maximum size of the body; 64 KiB by default. */
  readonly maxBytes?: number
  /** Also accepts JSON as text/plain, the only type that `sendBeacon` sends without a preflight request. */
  readonly plainText?: boolean
  readonly query?: Query
  readonly answer?: Answer
  /** Media type of an answer that is a file. */
  readonly file?: string
  /** Accepts a multipart body with a file of one of these media types in the field `file`. */
  readonly upload?: readonly string[]
  /** Fields of the multipart body beside its file. */
  readonly fields?: Schema
  /** Fields of a body that the handler reads itself, as JSON or as a form. */
  readonly form?: Schema
  /** Field of that form that may be a file. */
  readonly formFile?: string
  /** Accepts an `Idempotency-Key` header. */
  readonly idempotent?: boolean
  /** Error codes of the operation, besides those that follow from the rest of its declaration. */
  readonly refuses?: readonly string[]
  /** Status of a successful response; 200 by default. */
  readonly status?: 200 | 201 | 202 | 204 | 302
  readonly summary: string
}

type Method = 'GET' | 'POST' | 'PUT' | 'DELETE'

/**
 * Declares an endpoint with its method and path, and infers the types of its parts.
 * @example endpoint('GET /videos/tasks/:id', { access: 'user', answer: Task, summary: 'A task' })
 */
export function endpoint<
  const Path extends string,
  Body extends Schema = z.ZodMiniUndefined,
  Query extends Schema = z.ZodMiniUndefined,
  Answer extends Schema = z.ZodMiniUndefined,
  const Caller extends Access = Access,
>(
  route: `${Method} ${Path}`,
  declaration: Omit<Endpoint<Path, Body, Query, Answer, Caller>, 'method' | 'path'>,
): Endpoint<Path, Body, Query, Answer, Caller> {
  const [method, path] = route.split(' ') as [Method, Path]
  return { method, path, ...declaration }
}

/** Path parameters: `Params<'/videos/tasks/:id'>` is `{ id: string }`. */
export type Params<Path extends string> = Path extends `${string}:${infer Name}/${infer Rest}`
  ? { readonly [K in Name]: string } & Params<`/${Rest}`>
  : Path extends `${string}:${infer Name}.${string}`
    ? { readonly [K in Name]: string }
    : Path extends `${string}:${infer Name}`
      ? { readonly [K in Name]: string }
      : unknown

export const API_BASE = '/api/v1'

/** Returns the query parameters `page` and `per_page` (1 to 100). @example query: z.object(paging(20)) */
export const paging = (perPage: number) => ({
  page: z._default(z.coerce.number().check(z.int(), z.gte(1)), 1),
  per_page: z._default(z.coerce.number().check(z.int(), z.gte(1), z.lte(100)), perPage),
})

/** Body of every error response: RFC 9457 problem details with a user-facing `detail` and a stable `code`. */
export const Problem = z.looseObject({
  type: z.string(),
  title: z.string(),
  status: z.number(),
  code: z.string(),
  detail: z.string(),
  errors: z.optional(z.array(z.object({ path: z.string(), code: z.string(), message: z.string() }))),
  requestId: z.string(),
})
export type Problem = z.infer<typeof Problem>

export const Message = z.object({ message: z.string() })

export const status = endpoint('GET /status', {
  access: 'public',
  answer: z.object({
    demo_renderer: z.boolean(),
    /** The preferred payment provider. `off`: there are no plans; operators grant credits. */
    payments: z.enum(['stripe', 'paypal', 'sandbox', 'off']),
    /** All of them, the preferred one first, with the currencies of credit packs. */
    payment_providers: z.array(z.object({ name: z.string(), currencies: z.array(z.string()) })),
    /** `closed`: accounts are made by invitation. */
    registration: z.enum(['open', 'closed']),
    /** Whether the engine can improve prompts. */
    prompt_optimizer: z.boolean(),
    support_email: z.string(),
    /** Whose downloads have a visible label; `auto` means accounts whose language is Chinese. */
    video_label: z.enum(['auto', 'always', 'never']),
    /** Release of the server. */
    version: z.string(),
  }),
  summary: 'What the site says about this installation',
})
