import type { RouterContext } from '@koa/router'
import { Rejection } from '../../kernel/eventsourcing/pure/decider.ts'
import { parseInput } from '../../kernel/http/endpoint.ts'
import { withForm } from '../../kernel/http/multipart/withFormFile.ts'
import { ValidationError } from '../../kernel/http/problemDetails.ts'
import { parseJson, readJson, readRawBody } from '../../kernel/http/readRawBody.ts'
import { IMAGE_MAX_BYTES } from '../../kernel/media/contract.ts'
import { VideoExtension, VideoOrder } from './v1.contract.ts'

const PICTURE = 'input_reference'
const MAX_FIELDS_BYTES = 32_768
/** A picture in JSON is a third larger than its bytes. */
const MAX_JSON_BYTES = Math.ceil((IMAGE_MAX_BYTES * 4) / 3) + MAX_FIELDS_BYTES
const DATA_URL = /^data:image\/[\w.+-]+;base64,/

/** An order as it was sent. `picture` is a view of memory that is freed after the order. */
export interface SentOrder {
  readonly fields: VideoOrder
  readonly picture: Buffer | undefined
}

/** Returns whether a body may carry a picture, which counts as an upload before it is read. */
export const isLarge = (ctx: Pick<RouterContext, 'request' | 'get'>): boolean =>
  ctx.get('Transfer-Encoding') !== '' || (ctx.request.length ?? 0) > MAX_FIELDS_BYTES

/**
 * Reads the order of a multipart form or of JSON, and passes it to `use`. The picture is a file, or a `data:` address as text,
 * in brackets or in JSON: each of these forms is sent by a client.
 * @throws ValidationError  @throws Rejection not_json, payload_too_large
 */
export function withOrder<T>(ctx: RouterContext, use: (order: SentOrder) => Promise<T>): Promise<T> {
  if (ctx.is('multipart'))
    return withForm(ctx, IMAGE_MAX_BYTES, (parts) => {
      const [file, ...others] = parts.filter(({ name, isFile }) => isFile && name === PICTURE)
      if (others.length > 0) throw new ValidationError([{ path: PICTURE, code: 'one_file' }])
      const texts = parts.filter(({ isFile }) => !isFile)
      if (texts.reduce((sum, { name, content }) => sum + (isPicture(name) ? 0 : content.length), 0) > MAX_FIELDS_BYTES)
        throw tooLarge()
      const fields = Object.fromEntries(texts.map(({ name, content }) => [name, content.toString()]))
      return use({ fields: parseInput(VideoOrder, fields), picture: file?.content ?? pictureIn(fields) })
    })
  if (!ctx.is('json')) throw new Rejection('not_json', 'Send multipart/form-data or application/json.')
  return readRawBody(ctx, MAX_JSON_BYTES).then((body) => {
    const { value, data } = parseApart(body)
    const fields = parseInput(VideoOrder, withoutNulls(value))
    return use({ fields, picture: pictureIn(value as Record<string, unknown>, data) })
  })
}

/** Reads the extension of a video. Returns its id with the other fields. @throws ValidationError  @throws Rejection not_json */
export async function readExtension(ctx: RouterContext) {
  const sent = ctx.is('multipart')
    ? await withForm(ctx, MAX_FIELDS_BYTES, async (parts) =>
        Object.fromEntries(parts.map(({ name, content }) => [name, content.toString()])),
      )
    : withoutNulls(await readJson(ctx, MAX_FIELDS_BYTES))
  const { video, 'video[id]': inBrackets, ...fields } = parseInput(VideoExtension, sent)
  const id = inBrackets ?? (typeof video === 'object' ? video.id : video)
  if (id === undefined) throw new ValidationError([{ path: 'video', code: 'required' }])
  return { id, fields }
}

/** Some clients send null for what they leave out. */
const withoutNulls = (sent: unknown) =>
  typeof sent === 'object' && sent !== null && !Array.isArray(sent)
    ? Object.fromEntries(Object.entries(sent).filter(([, value]) => value !== null))
    : sent

const isPicture = (name: string) => name === PICTURE || name === `${PICTURE}[image_url]`

const tooLarge = () => new ValidationError([{ path: '', code: 'fields_too_large' }])

/**
 * Parses JSON. Long JSON may only be long by the data of one picture, which is decoded apart and missing in `value`: to parse
 * megabytes of anything else would occupy the event loop. @throws ValidationError invalid_json, fields_too_large
 */
function parseApart(json: Buffer): Readonly<{ value: unknown; data?: Buffer }> {
  if (json.length <= MAX_FIELDS_BYTES) return { value: parseJson(json) }
  const from = json.indexOf(',', Math.max(0, json.indexOf('"data:image'))) + 1
  const to = json.indexOf('"', from)
  if (from === 0 || json.length - (to - from) > MAX_FIELDS_BYTES) throw tooLarge()
  const value = parseJson(Buffer.concat([json.subarray(0, from), json.subarray(to)]))
  return { value, data: Buffer.from(json.toString('latin1', from, to), 'base64') }
}

/**
 * Returns the picture of a `data:` address in the fields.
 * @param data what was parsed apart
 * @throws Rejection invalid_value  @throws ValidationError fields_too_large
 */
function pictureIn(fields: Readonly<Record<string, unknown>>, data?: Buffer): Buffer | undefined {
  if (fields[`${PICTURE}[file_id]`]) throw unusable()
  const given = fields[`${PICTURE}[image_url]`] ?? fields[PICTURE]
  if (given === undefined || given === null || given === '') {
    // The data were those of another field.
    if (data) throw tooLarge()
    return undefined
  }
  const isJson = typeof given === 'string' && given.startsWith('{')
  const { value, data: apart } = isJson ? parseApart(Buffer.from(given)) : { value: given, data }
  const url = typeof value === 'object' ? (value as { image_url?: unknown } | null)?.image_url : value
  if (typeof url !== 'string' || !DATA_URL.test(url)) throw unusable()
  const text = url.slice(url.indexOf(',') + 1)
  if (apart && text !== '') throw tooLarge()
  return apart ?? Buffer.from(text, 'base64')
}

const unusable = () =>
  new Rejection('invalid_value', `Send ${PICTURE} as a file, or as {"image_url": "data:image/…;base64,…"}.`, {
    param: PICTURE,
  })
