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
  readonly parameters: Operation['parameters']
  readonly requestBody?: { readonly content: { readonly 'application/json': { readonly schema: Schema } } }
}

const EXAMPLES: Readonly<Record<string, unknown>> = {
  email: 'someone@kinora.test',
  password: 'a better horse',
  new_password: 'a better horse',
  path: '/works',
  prompt: 'a green hill',
  resolution: '768P',
}

/** Reads every operation of a running Kinora. @param api its base URL, `…/api/v1` */
export async function readOperations(api: string): Promise<Operation[]> {
  const { paths } = (await (await fetch(`${api}/openapi.json`)).json()) as {
    paths: Record<string, Record<string, Described>>
  }
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, { parameters, requestBody }]) => {
      const properties = requestBody?.content['application/json'].schema.properties ?? {}
      const example = Object.entries(properties).map(([name, schema]) => [name, exampleOf(name, schema)])
      return {
        method: method.toUpperCase(),
        path,
        parameters,
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

const NO_ID = '0190a000-0000-7000-8000-000000000000'

/** Fills the remaining path parameters with an id that does not exist. */
export const withIds = (path: string): string => path.replaceAll(/\{\w+\}/g, NO_ID)
