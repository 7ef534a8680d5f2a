import * as z from 'zod/mini'

type Schema = z.ZodMiniType
/** Who may call an endpoint. */
export type Who = 'public' | 'user' | 'operator'

/** One call of the API: all that a client, the server and the API's description need to know of it. */
export interface Endpoint<
  Path extends string = string,
  Body extends Schema = Schema,
  Query extends Schema = Schema,
  Answer extends Schema = Schema,
  Access extends Who = Who,
> {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE'
  /** Under `/api/v1`; parameters as `:name`. */
  readonly path: Path
  /** Who may call it: anyone, a signed-in user, or the operator, who has a session of his own. */
  readonly access: Access
  readonly body?: Body
  /** The JSON may also come as text/plain: a beacon can send nothing else without asking first. */
  readonly plainText?: boolean
  readonly query?: Query
  readonly answer?: Answer
  /** Of a successful answer; 200 when left out. */
  readonly status?: 200 | 201 | 202 | 204
  readonly summary: string
}

/** Declares a call, keeping the types of its parts. */
export function endpoint<
  const Path extends string,
  Body extends Schema = z.ZodMiniUndefined,
  Query extends Schema = z.ZodMiniUndefined,
  Answer extends Schema = z.ZodMiniUndefined,
  const Access extends Who = Who,
>(declaration: Endpoint<Path, Body, Query, Answer, Access>): Endpoint<Path, Body, Query, Answer, Access> {
  return declaration
}

/** The parameters of a path: `Params<'/videos/tasks/:id'>` is `{ id: string }`. */
export type Params<Path extends string> = Path extends `${string}:${infer Name}/${infer Rest}`
  ? { readonly [K in Name]: string } & Params<`/${Rest}`>
  : Path extends `${string}:${infer Name}`
    ? { readonly [K in Name]: string }
    : unknown

export const API_BASE = '/api/v1'

/** `page` from 1 and `per_page` from 1 to 100, as strings of a query. */
export const paging = (perPage: number) => ({
  page: z._default(z.coerce.number().check(z.int(), z.gte(1)), 1),
  per_page: z._default(z.coerce.number().check(z.int(), z.gte(1), z.lte(100)), perPage),
})

/** An error's body: RFC 9457 problem details, with a sentence for people and a stable code for programs. */
export const Problem = z.object({
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

export const status = endpoint({
  method: 'GET',
  path: '/status',
  access: 'public',
  answer: z.object({ demo_renderer: z.boolean(), support_email: z.string() }),
  summary: 'What the site says about this installation',
})
