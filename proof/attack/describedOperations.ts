/** A JSON Schema, as the OpenAPI description contains it. */
export interface Schema {
  readonly type?: string
  readonly format?: string
  readonly enum?: readonly unknown[]
  readonly const?: unknown
  readonly pattern?: string
  readonly minLength?: number
  readonly maxLength?: number
  readonly minimum?: number
  readonly maximum?: number
  readonly properties?: Readonly<Record<string, Schema>>
  readonly required?: readonly string[]
  readonly items?: Schema
  readonly anyOf?: readonly Schema[]
  readonly default?: unknown
}

export interface Parameter {
  readonly name: string
  readonly in: 'path' | 'query' | 'header'
  readonly required?: boolean
  readonly schema: Schema
}

export interface DescribedOperation {
  readonly name: string
  readonly method: string
  /** Path relative to the API, with parameters as `{name}`. */
  readonly path: string
  readonly access: 'public' | 'user' | 'operator'
  readonly parameters: readonly Parameter[]
  readonly body?: Schema
  readonly isUpload: boolean
  /** Whether the operation can refuse with `step_up_required`. */
  readonly needsStepUp: boolean
}

interface Json {
  readonly [name: string]: Json
}

/** Reads every operation below `/api/v1` of a running Kinora. @param api its base URL, `…/api/v1` */
export async function describedOperations(api: string): Promise<readonly DescribedOperation[]> {
  const { paths } = (await (await fetch(`${api}/openapi.json`)).json()) as {
    paths: Record<string, Record<string, Json>>
  }
  const own = Object.entries(paths).filter(([path]) => !path.startsWith('/v1/'))
  return own.flatMap(([path, methods]) =>
    Object.entries(methods).map(([key, { security, parameters, requestBody, responses }]) => {
      const [scheme] = security as unknown as Record<string, unknown>[]
      const method = key.toUpperCase()
      return {
        name: `${method} ${path}`,
        method,
        path,
        access: !scheme || Object.keys(scheme).length === 0 ? 'public' : 'session' in scheme ? 'user' : 'operator',
        parameters: parameters as unknown as Parameter[],
        body: requestBody?.content?.['application/json']?.schema as unknown as Schema | undefined,
        isUpload: requestBody?.content?.['multipart/form-data'] !== undefined,
        needsStepUp: JSON.stringify(responses?.['403'] ?? {}).includes('step_up_required'),
      } satisfies DescribedOperation
    }),
  )
}
