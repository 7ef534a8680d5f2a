import * as z from 'zod/mini'
import { type Json, templateFaults } from './template.ts'

/** Kinds of errors, as in `providerError.ts`. After `unknown`, the job may exist; after any other kind it does not. */
export const ErrorKind = z.enum(['content', 'invalid_request', 'account', 'credentials', 'rate_limited', 'unknown'])

/** Names and list indexes, joined by dots: `output.0.url`. */
export const Path = z.string().check(z.regex(/^[\w-]{1,64}(?:\.[\w-]{1,64}){0,9}$/, 'a path such as output.0.url'))
/** The first path that leads to a value counts. */
export const Paths = z.array(Path).check(z.minLength(1))

const AnyJson = z.json() as z.ZodMiniType<Json>
export const Template = AnyJson.check((context) => {
  for (const message of templateFaults(context.value))
    context.issues.push({ code: 'custom', input: context.value, message })
})

/** An HTTP answer, as an example or as the operator pastes it. */
export const Answer = z.strictObject({
  status: z.int().check(z.gte(100), z.lte(599)),
  headers: z._default(z.record(z.string(), z.string()), {}),
  body: AnyJson,
})
export type Answer = z.output<typeof Answer>
