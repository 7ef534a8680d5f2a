import { STATUS_CODES } from 'node:http'
import * as z from 'zod/mini'
import { isForPrograms } from '../bearer.ts'
import { API_BASE, type Endpoint, Problem, type Scope } from '../contract.ts'
import { statusOf } from '../problemDetails.ts'

type Json = Readonly<Record<string, unknown>>
type Described = Json & Readonly<{ properties?: Json; required?: readonly string[] }>

/** Returns the JSON Schema of a request or response. Transforms cannot be represented and accept anything. */
const schemaOf = (schema: z.ZodMiniType, io: 'input' | 'output') => {
  const { $schema: _, ...rest } = z.toJSONSchema(schema, { io, unrepresentable: 'any' }) as Json
  return rest
}

const jsonContent = (schema: z.ZodMiniType, io: 'input' | 'output') => ({
  content: { 'application/json': { schema: schemaOf(schema, io) } },
})

/**
 * Generates the OpenAPI 3.1 description from the same schemas that parse requests.
 * @example openApi(endpoints, 'https://kinora.example').paths
 */
export function openApi(endpoints: readonly Endpoint[], serverUrl: string): Json {
  const paths: Record<string, Record<string, Json>> = {}
  const prefix = serverUrl.startsWith('https:') ? '__Host-' : ''
  // Browsers are sent to redirects; programs have no use for them.
  for (const endpoint of endpoints.filter(({ status }) => status !== 302)) {
    const path = endpoint.path.replace(/:(\w+)/g, '{$1}')
    // The routes for programs are not below the address of the others.
    const elsewhere = isForPrograms(path) ? { servers: [{ url: serverUrl }] } : {}
    paths[path] = { ...paths[path], [endpoint.method.toLowerCase()]: { ...operation(endpoint), ...elsewhere } }
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Kinora',
      version: '1',
      description: 'Short AI videos, paid with credits.',
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: serverUrl + API_BASE }],
    paths,
    components: {
      securitySchemes: {
        session: { type: 'apiKey', in: 'cookie', name: `${prefix}kinora_access` },
        key: { type: 'http', scheme: 'bearer', description: 'An API key: kin_…' },
        connection: {
          type: 'oauth2',
          description: `OAuth 2.1 for public clients, with PKCE (S256). Metadata: ${serverUrl}/.well-known/oauth-authorization-server`,
          flows: {
            authorizationCode: {
              authorizationUrl: `${serverUrl}/oauth/authorize`,
              tokenUrl: `${serverUrl}/oauth/token`,
              refreshUrl: `${serverUrl}/oauth/token`,
              scopes: CONNECTION_SCOPES,
            },
          },
        },
        operator: { type: 'apiKey', in: 'cookie', name: `${prefix}kinora_operator` },
      },
      schemas: { Problem: schemaOf(Problem, 'output') },
    },
  }
}

function operation(endpoint: Endpoint): Json {
  const { summary, method, path, query, body, upload, form, idempotent } = endpoint
  const inPath = [...path.matchAll(/:(\w+)/g)].map(([, name]) => ({
    name,
    in: 'path',
    required: true,
    schema: name === 'id' ? { type: 'string', format: 'uuid' } : { type: 'string' },
  }))
  const content = body && {
    ...jsonContent(body, 'input').content,
    ...(endpoint.plainText ? { 'text/plain': { schema: { type: 'string' } } } : {}),
  }
  const required = body !== undefined && !z.safeParse(body, undefined).success
  const requestBody = upload
    ? { required: true, content: multipart(upload, endpoint.fields) }
    : form
      ? { required: true, content: formContent(form, endpoint.formFile) }
      : content && { required, content }
  return {
    operationId:
      method.toLowerCase() +
      path
        .split(/[^a-z0-9]/i)
        .map(capitalized)
        .join(''),
    summary,
    security: securityOf(endpoint),
    parameters: [...inPath, ...(query ? queryParameters(query) : []), ...(idempotent ? [IDEMPOTENCY_KEY] : [])],
    ...(requestBody ? { requestBody } : {}),
    responses: { ...success(endpoint), ...problems(endpoint) },
  }
}

/** What users can allow programs by OAuth, which is less than a key may do. */
const CONNECTION_SCOPES: Partial<Record<Scope, string>> = {
  'videos:write': 'Order, cancel and delete videos',
  'videos:read': 'See and download videos',
  'account:read': 'See the balance and the plan',
}

/** Returns the ways to authenticate, any of which suffices. Those of programs name the scope. */
function securityOf({ access, scope, role = 'viewer' }: Endpoint): Json[] {
  const connection = scope && scope in CONNECTION_SCOPES ? [{ connection: [scope] }] : []
  const key = scope ? [{ key: [scope] }, ...connection] : []
  const user = [{ session: [] }, ...key]
  return { public: [], visitor: [{}, ...user], user, key, operator: [{ operator: [role] }] }[access]
}

const capitalized = (word: string) => word.charAt(0).toUpperCase() + word.slice(1)

const IDEMPOTENCY_KEY = {
  name: 'Idempotency-Key',
  in: 'header',
  description: 'For 24 hours, repeating a request with the same key has no further effect.',
  schema: { type: 'string', maxLength: 200 },
}

const multipart = (types: readonly string[], fields: z.ZodMiniType = z.object({})) => {
  const { properties = {}, required = [], ...schema } = schemaOf(fields, 'input') as Described
  const file = { type: 'string', format: 'binary' }
  return {
    'multipart/form-data': {
      schema: { ...schema, required: ['file', ...required], properties: { file, ...properties } },
      encoding: { file: { contentType: types.join(', ') } },
    },
  }
}

/** Describes a body as JSON and as a form, where one field may be a file. */
function formContent(form: z.ZodMiniType, file: string | undefined) {
  const schema = schemaOf(form, 'input') as Described
  const binary = file === undefined ? {} : { [file]: { type: 'string', format: 'binary' } }
  const asForm = { ...schema, properties: { ...schema.properties, ...binary } }
  return { 'application/json': { schema }, 'multipart/form-data': { schema: asForm } }
}

function success({ summary, answer, file, status = 200 }: Endpoint): Json {
  if (!file) return { [status]: { description: summary, ...(answer ? jsonContent(answer, 'output') : {}) } }
  const content = { [file]: { schema: { type: 'string', format: 'binary' } } }
  const ranges = { 206: { description: 'The requested range', content }, 304: { description: 'Not modified' } }
  return { 200: { description: summary, content }, ...(hasRanges(file) ? ranges : {}) }
}

/** Tables are generated per request; stored media support ranges. */
const hasRanges = (mediaType: string) => mediaType !== 'text/csv'

/**
 * Returns the error codes that an endpoint may respond with.
 */
function errorCodes(endpoint: Endpoint): string[] {
  const { method, path, access, scope, unlessSuspended, body, upload, form, file, refuses = [] } = endpoint
  return [
    'internal',
    'unavailable',
    'ledger_broken',
    'newer_data',
    'invalid_input',
    'uri_too_long',
    'headers_too_large',
    'too_many_requests',
    ...(method === 'GET' || isForPrograms(path) ? [] : ['cross_site']),
    ...(access === 'public' || access === 'visitor' || access === 'key' ? [] : ['unauthenticated']),
    ...(access === 'operator' ? ['operator_role'] : []),
    ...(access === 'key' || scope ? ['invalid_api_key', 'key_scope', 'key_network', 'account_suspended'] : []),
    ...(unlessSuspended ? ['account_suspended'] : []),
    ...(path.includes(':') ? ['not_found'] : []),
    ...(body || form ? ['not_json', 'payload_too_large'] : []),
    ...(upload ? ['payload_too_large'] : []),
    ...(file && hasRanges(file) ? ['range_not_satisfiable'] : []),
    ...refuses,
  ]
}

/** Returns a problem response per status. */
function problems(endpoint: Endpoint): Json {
  const byStatus = Object.groupBy(new Set(errorCodes(endpoint)), (code) => String(statusOf(code)))
  return Object.fromEntries(
    Object.entries(byStatus).map(([status, codes]) => [
      status,
      {
        description: STATUS_CODES[status] ?? '',
        ...(status === '429' || status === '503' ? { headers: RETRY_AFTER } : {}),
        content: isForPrograms(endpoint.path) ? PROGRAM_ERROR : problemOf(codes),
      },
    ]),
  )
}

const problemOf = (codes: readonly string[] = []) => ({
  'application/problem+json': {
    schema: {
      allOf: [{ $ref: '#/components/schemas/Problem' }, { type: 'object', properties: { code: { enum: codes } } }],
    },
  },
})

const text = { type: 'string' }
const textOrNull = { type: ['string', 'null'] }
/** Faults of fields are 400 there. */
const PROGRAM_ERROR = {
  'application/json': {
    schema: {
      type: 'object',
      properties: {
        error: { type: 'object', properties: { message: text, type: text, param: textOrNull, code: text } },
      },
    },
  },
}

const RETRY_AFTER = { 'Retry-After': { description: 'Seconds to wait', schema: { type: 'integer', minimum: 0 } } }

function queryParameters(query: z.ZodMiniType): Json[] {
  const { properties = {}, required = [] } = schemaOf(query, 'input') as Described
  return Object.entries(properties).map(([name, schema]) => ({
    name,
    in: 'query',
    required: required.includes(name),
    schema,
  }))
}
