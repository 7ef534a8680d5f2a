import { ValidationError } from '../problemDetails.ts'

/** A part of a form. */
export interface Part {
  readonly name: string
  /** Whether it has a file name. */
  readonly isFile: boolean
  /** A view of the body. */
  readonly content: Buffer
}

const MAX_PARTS = 24
/** Bytes of a part's headers. */
const MAX_HEADERS = 8_192
/** RFC 2046, section 5.1.1: up to 70 characters. */
const BOUNDARY = /^multipart\/form-data\s*;(?:.*;)?\s*boundary=(?:"([^"]{1,70})"|([^\s;"]{1,70}))\s*(?:;|$)/i
const DISPOSITION = /^content-disposition[ \t]*:[ \t]*form-data[ \t]*(;.*)$/i
const PARAMETER = /;[ \t]*([^\s=;"]+)=(?:"((?:[^"\\]|\\.)*)"|([^\s;"]*))/g
const [LF, CR, HYPHEN] = [10, 13, 45]

const fault = (code: string) => new ValidationError([{ path: '', code }])

/**
 * Splits a body of multipart/form-data (RFC 7578) into its parts. Works on a whole body, so that a fault ends the work:
 * a parser of a stream goes on with what arrives after its first error. See
 * docs/decisions/0055-nothing-a-stranger-sends-ends-the-service.md.
 * @throws ValidationError malformed_form, too_many_parts
 * @example const [file] = parseMultipart(body, ctx.get('Content-Type'))
 */
export function parseMultipart(body: Buffer, contentType: string): readonly Part[] {
  const [, quoted, token] = BOUNDARY.exec(contentType) ?? []
  const boundary = quoted ?? token
  if (boundary === undefined) throw fault('malformed_form')
  const delimiter = Buffer.from(`\r\n--${boundary}`, 'latin1')
  const opening = delimiter.subarray(2)
  const parts: Part[] = []
  // The first delimiter has no line break before it, unless there is a preamble.
  let at = body.subarray(0, opening.length).equals(opening) ? opening.length : afterNext(body, delimiter, 0)
  for (;;) {
    if (body[at] === HYPHEN && body[at + 1] === HYPHEN) return parts
    if (body[at] !== CR || body[at + 1] !== LF) throw fault('malformed_form')
    if (parts.length === MAX_PARTS) throw fault('too_many_parts')
    const headersEnd = body.subarray(at, at + MAX_HEADERS).indexOf('\r\n\r\n')
    if (headersEnd < 0) throw fault('malformed_form')
    const start = at + headersEnd + 4
    const head = dispositionIn(body.toString('utf8', at, at + headersEnd))
    at = afterNext(body, delimiter, start)
    parts.push({ ...head, content: body.subarray(start, at - delimiter.length) })
  }
}

/** Returns the offset after the next delimiter. @throws ValidationError malformed_form, if there is none */
function afterNext(body: Buffer, delimiter: Buffer, from: number): number {
  const at = body.indexOf(delimiter, from)
  if (at < 0) throw fault('malformed_form')
  return at + delimiter.length
}

/** Returns the name in the headers of a part, and whether it is a file. @throws ValidationError malformed_form, unless there is exactly one name */
function dispositionIn(headers: string): Pick<Part, 'name' | 'isFile'> {
  const [first, ...others] = headers.split('\r\n').flatMap((line) => DISPOSITION.exec(line)?.[1] ?? [])
  const parameters = [...(first ?? '').matchAll(PARAMETER)]
  const names = parameters.filter(([, name]) => name?.toLowerCase() === 'name')
  const [, , quoted, token] = names[0] ?? []
  const name = quoted ?? token
  if (others.length > 0 || names.length > 1 || name === undefined) throw fault('malformed_form')
  return { name, isFile: parameters.some(([, name]) => name?.toLowerCase().startsWith('filename')) }
}
