import { fromJSONSchema } from 'zod'

interface Schema {
  readonly type?: string
  readonly enum?: readonly unknown[]
  readonly const?: unknown
  readonly properties?: Readonly<Record<string, Schema>>
}

/** An operation of the API, as its OpenAPI description states it. */
export interface Operation {
  readonly method: string
  /** Path relative to the API, with parameters as `{name}`. */
  readonly path: string
  readonly parameters: readonly { readonly name: string; readonly in: 'path' | 'query' }[]
  /** Names of the fields of the body. */
  readonly fields: readonly string[]
  /** A body that is valid, or nearly so: formats that JSON Schema cannot express may be wrong. */
  readonly example: Readonly<Record<string, unknown>>
}

interface Described {
  readonly parameters: readonly { readonly name: string; readonly in: 'path' | 'query' | 'header' }[]
  readonly requestBody?: { readonly content: { readonly 'application/json'?: { readonly schema: Schema } } }
}

const EXAMPLES: Readonly<Record<string, unknown>> = {
  email: 'someone@kinora.test',
  password: 'a better horse',
  new_password: 'a better horse',
  path: '/works',
  prompt: 'a green hill',
  resolution: '768P',
}

/**
 * Reads the operations of a running Kinora.
 * @param api its base URL, `…/api/v1`
 * @param below `/v1`: those for programs, with their whole paths
 */
export async function readOperations(api: string, below: '/api/v1' | '/v1' = '/api/v1'): Promise<Operation[]> {
  const { paths } = (await (await fetch(`${api}/openapi.json`)).json()) as {
    paths: Record<string, Record<string, Described>>
  }
  const own = Object.entries(paths).filter(([path]) => path.startsWith('/v1/') === (below === '/v1'))
  return own.flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, { parameters, requestBody }]) => {
      const properties = requestBody?.content['application/json']?.schema.properties ?? {}
      const example = Object.entries(properties).map(([name, schema]) => [name, exampleOf(name, schema)])
      return {
        method: method.toUpperCase(),
        path,
        parameters: parameters.flatMap(({ name, in: place }) => (place === 'header' ? [] : [{ name, in: place }])),
        fields: Object.keys(properties),
        example: Object.fromEntries(example),
      }
    }),
  )
}

function exampleOf(name: string, schema: Schema): unknown {
  if (name in EXAMPLES) return EXAMPLES[name]
  if (schema.const !== undefined) return schema.const
  if (schema.enum) return schema.enum[0]
  if (schema.type === 'boolean') return true
  if (schema.type === 'array') return []
  if (schema.type === 'integer' || schema.type === 'number') return 6
  return 'Some text'
}

/** The responses of each operation of an API, read once. */
const descriptions = new Map<string, Promise<readonly Documented[]>>()

interface Documented {
  readonly method: string
  readonly pattern: RegExp
  /** Error codes by status; undefined for a successful response. */
  readonly codes: ReadonlyMap<number, readonly string[] | undefined>
  /** Returns what a JSON body violates, if anything. */
  readonly faultOf: (status: number, body: unknown) => string | undefined
}

/**
 * Returns a response of the API, after a check that its status, its error code and the schema of its body are documented.
 * @param api base URL, `…/api/v1`
 */
export async function documented(api: string, method: string, path: string, response: Response): Promise<Response> {
  const reading = descriptions.get(api) ?? readDocumented(api)
  descriptions.set(api, reading)
  const pathname = path.split('?', 1)[0]!
  const operation = (await reading).find((each) => each.method === method && each.pattern.test(pathname))
  if (!operation) return response
  const { status } = response
  const isJson = /\bjson\b/.test(response.headers.get('content-type') ?? '')
  const body: unknown = isJson ? await response.clone().json() : undefined
  const code = response.headers.get('content-type')?.includes('problem+json')
    ? (body as { code: string }).code
    : undefined
  const codes = operation.codes.get(status)
  if (!operation.codes.has(status) || (code !== undefined && !codes?.includes(code)))
    throw new Error(`${method} ${path} responds ${status} ${code ?? ''}, which its description does not mention`)
  const fault = isJson ? operation.faultOf(status, body) : undefined
  if (fault) throw new Error(`${method} ${path} responds ${status} with a body that its description refuses: ${fault}`)
  return response
}

async function readDocumented(api: string): Promise<readonly Documented[]> {
  const answer = await fetch(`${api}/openapi.json`)
  if (!answer.ok) {
    descriptions.delete(api)
    return []
  }
  const { paths, components } = (await answer.json()) as {
    paths: Record<string, Record<string, { responses: Responses }>>
    components: { schemas: { Problem: JsonSchema } }
  }
  const problem = fromJSONSchema(components.schemas.Problem)
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, { responses }]) => ({
      method: method.toUpperCase(),
      pattern: new RegExp(`^${path.replaceAll(/\{\w+\}/g, '[^/]+')}$`),
      codes: new Map(Object.entries(responses).map(([status, response]) => [Number(status), codesOf(response)])),
      faultOf: faultOf(responses, problem),
    })),
  )
}

type JsonSchema = Parameters<typeof fromJSONSchema>[0]

/** Returns a check of bodies by status. Schemas are compiled when they are first needed. */
function faultOf(responses: Responses, problem: ReturnType<typeof fromJSONSchema>) {
  const compiled = new Map<number, ReturnType<typeof fromJSONSchema> | undefined>()
  return (status: number, body: unknown): string | undefined => {
    if (!compiled.has(status)) {
      const schema = responses[status]?.content?.['application/json']?.schema as JsonSchema | undefined
      compiled.set(status, status >= 400 ? problem : schema === undefined ? undefined : fromJSONSchema(schema))
    }
    const [issue] = compiled.get(status)?.safeParse(body).error?.issues ?? []
    return issue && `${issue.path.join('.')}: ${issue.message}`
  }
}

interface ProblemSchema {
  readonly schema: {
    readonly allOf: readonly { readonly properties?: { readonly code: { readonly enum: string[] } } }[]
  }
}
type Responses = Readonly<Record<string, { readonly content?: Readonly<Record<string, ProblemSchema>> }>>

const codesOf = ({ content }: Responses[string]) =>
  content?.['application/problem+json']?.schema.allOf.flatMap(({ properties }) => properties?.code.enum ?? [])

const NO_ID = '0190a000-0000-7000-8000-000000000000'

/** Fills the remaining path parameters with an id that does not exist. */
export const withIds = (path: string): string => path.replaceAll(/\{\w+\}/g, NO_ID)
