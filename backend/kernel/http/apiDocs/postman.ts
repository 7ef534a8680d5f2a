import { isForPrograms } from '../bearer.ts'
import { API_BASE } from '../contract.ts'
import { exampleOf } from './schemaText.mjs'

interface Schema {
  readonly properties?: Readonly<Record<string, Schema>>
  readonly required?: readonly string[]
  readonly format?: string
}

interface Operation {
  readonly summary: string
  readonly security: readonly Readonly<Record<string, unknown>>[]
  readonly parameters: readonly { readonly name: string; readonly in: string; readonly required?: boolean }[]
  readonly requestBody?: { readonly content: Readonly<Record<string, { readonly schema: Schema }>> }
}

/** The part of an OpenAPI description that a collection is made from. */
export interface Described {
  readonly info: { readonly title: string; readonly description: string }
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>
}

const SCHEMA = 'https://schema.getpostman.com/json/collection/v2.1.0/collection.json'

/**
 * Returns a Postman collection (v2.1) of the operations that take an API key, and of all below `/v1`.
 * @param url address of the server, the value of the variable `url`
 */
export function postmanCollection({ info, paths }: Described, url: string) {
  const items = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods)
      .filter(([, { security }]) => isForPrograms(path) || security.some((way) => 'key' in way))
      .map(([method, operation]) => ({ path, item: itemOf(path, method.toUpperCase(), operation) })),
  )
  const folder = (name: string, isIn: (path: string) => boolean) => {
    return { name, item: items.filter(({ path }) => isIn(path)).map(({ item }) => item) }
  }
  return {
    info: { name: info.title, description: info.description, schema: SCHEMA },
    auth: { type: 'bearer', bearer: [{ key: 'token', value: '{{key}}', type: 'string' }] },
    variable: [
      { key: 'url', value: url },
      { key: 'key', value: '' },
    ],
    item: [folder('/v1', isForPrograms), folder(API_BASE, (path) => !isForPrograms(path))],
  }
}

function itemOf(path: string, method: string, { summary, security, parameters, requestBody }: Operation) {
  const named = (place: string) => parameters.filter((parameter) => parameter.in === place)
  const whole = (isForPrograms(path) ? path : API_BASE + path).replaceAll(/\{(\w+)\}/g, ':$1')
  const query = named('query').map(({ name, required }) => ({ key: name, value: '', disabled: !required }))
  const isJson = requestBody?.content['application/json'] !== undefined
  const header = [
    ...named('header').map(({ name }) => ({ key: name, value: '', disabled: true })),
    ...(isJson ? [{ key: 'Content-Type', value: 'application/json' }] : []),
  ]
  return {
    name: summary,
    request: {
      method,
      ...(security.length === 0 && { auth: { type: 'noauth' } }),
      header,
      url: {
        raw: `{{url}}${whole}`,
        host: ['{{url}}'],
        path: whole.slice(1).split('/'),
        ...(query.length > 0 && { query }),
        variable: named('path').map(({ name }) => ({ key: name, value: '' })),
      },
      ...(requestBody && { body: bodyOf(requestBody.content) }),
    },
  }
}

/** Shows JSON with its required fields, and a form where there is no JSON. */
function bodyOf(content: NonNullable<Operation['requestBody']>['content']) {
  const json = content['application/json']?.schema
  if (json)
    return { mode: 'raw', raw: JSON.stringify(exampleOf(json), null, 2), options: { raw: { language: 'json' } } }
  const { properties = {}, required = [] } = content['multipart/form-data']?.schema ?? {}
  const formdata = Object.entries(properties).map(([key, { format }]) => {
    const value = format === 'binary' ? { type: 'file', src: [] } : { type: 'text', value: '' }
    return { key, ...value, disabled: !required.includes(key) }
  })
  return { mode: 'formdata', formdata }
}
