import * as z from 'zod/mini'
import { API_BASE, type Endpoint, Problem } from './contract.ts'

type Json = Readonly<Record<string, unknown>>

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
  for (const endpoint of endpoints) {
    const path = endpoint.path.replace(/:(\w+)/g, '{$1}')
    paths[path] = { ...paths[path], [endpoint.method.toLowerCase()]: operation(endpoint) }
  }
  return {
    openapi: '3.1.0',
    info: { title: 'Kinora', version: '1', description: 'Short AI videos, paid with credits.' },
    servers: [{ url: serverUrl + API_BASE }],
    paths,
    components: {
      securitySchemes: {
        session: { type: 'apiKey', in: 'cookie', name: 'kinora_access' },
        operator: { type: 'apiKey', in: 'cookie', name: 'kinora_operator' },
      },
      schemas: { Problem: schemaOf(Problem, 'output') },
    },
  }
}

function operation({ summary, path, access, query, body, answer, status = 200 }: Endpoint): Json {
  const inPath = [...path.matchAll(/:(\w+)/g)].map(([, name]) => ({
    name,
    in: 'path',
    required: true,
    schema: name === 'id' ? { type: 'string', format: 'uuid' } : { type: 'string' },
  }))
  const problem = {
    description: 'A problem',
    content: { 'application/problem+json': { schema: { $ref: '#/components/schemas/Problem' } } },
  }
  return {
    summary,
    ...(access === 'user' ? { security: [{ session: [] }] } : {}),
    ...(access === 'operator' ? { security: [{ operator: [] }] } : {}),
    parameters: [...inPath, ...(query ? queryParameters(query) : [])],
    ...(body ? { requestBody: { required: true, ...jsonContent(body, 'input') } } : {}),
    responses: {
      [status]: { description: summary, ...(answer ? jsonContent(answer, 'output') : {}) },
      default: problem,
    },
  }
}

function queryParameters(query: z.ZodMiniType): Json[] {
  const { properties = {}, required = [] } = schemaOf(query, 'input') as { properties?: Json; required?: string[] }
  return Object.entries(properties).map(([name, schema]) => ({
    name,
    in: 'query',
    required: required.includes(name),
    schema,
  }))
}
