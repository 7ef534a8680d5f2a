import { randomUUID } from 'node:crypto'

/**
 * Encodes a form as `multipart/form-data` (RFC 7578). `fetch` would send CRLF for each line feed of a text, which becomes part of
 * the prompt.
 * @example const { body, type } = await multipart(form)
 */
export async function multipart(form: FormData): Promise<{ readonly body: Uint8Array; readonly type: string }> {
  const boundary = `kinora-${randomUUID()}`
  const parts: Uint8Array[] = []
  const text = (line: string) => parts.push(Buffer.from(line))
  for (const [name, value] of form) {
    const isText = typeof value === 'string'
    const file = isText ? '' : `; filename="${value.name}"\r\ncontent-type: ${value.type || 'application/octet-stream'}`
    text(`--${boundary}\r\ncontent-disposition: form-data; name="${name}"${file}\r\n\r\n`)
    if (isText) text(value)
    else parts.push(await value.bytes())
    text('\r\n')
  }
  text(`--${boundary}--\r\n`)
  return { body: Buffer.concat(parts), type: `multipart/form-data; boundary=${boundary}` }
}
