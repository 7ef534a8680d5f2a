import { createHash, createHmac, timingSafeEqual } from 'node:crypto'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { S3Access } from '../s3MediaStore.ts'

/** A fault injected into one request. `cutAt` is the number of bytes after which the response is cut. */
export type S3Fault = { readonly status: number } | { readonly cutAt: number } | 'reset'

export type S3Double = Awaited<ReturnType<typeof startS3Double>>

/**
 * Starts a local double of an S3 bucket: PUT, GET with ranges, HEAD and DELETE of one object,
 * and listings. It verifies Signature
 * Version 4 with an independent implementation. It tests the adapter, not a vendor's service.
 */
export async function startS3Double() {
  const objects = new Map<string, Buffer>()
  const access: S3Access = {
    endpoint: '',
    bucket: 'kinora',
    region: 'eu-test-1',
    accessKeyId: 'AKIADOUBLE',
    secretAccessKey: 'double/secret+key',
  }
  const double = {
    access,
    objects,
    calls: [] as string[],
    fault: (_method: string, _count: number): S3Fault | undefined => undefined,
    close: () =>
      new Promise<void>((resolve) => {
        server.closeAllConnections()
        server.close(() => resolve())
      }),
  }

  const answer = (request: IncomingMessage, response: ServerResponse, body: Buffer) => {
    const method = request.method ?? ''
    const fault = double.fault(method, double.calls.push(`${method} ${request.url}`))
    if (fault === 'reset') return request.socket.destroy()
    const refuse = (status: number, code: string) =>
      response.writeHead(status).end(`<Error><Code>${code}</Code></Error>`)
    if (fault && 'status' in fault) return refuse(fault.status, 'Fault')
    const wrong = signatureFault(request, body, double.access)
    if (wrong) return refuse(wrong === 'XAmzContentSHA256Mismatch' ? 400 : 403, wrong)
    const { pathname, searchParams } = new URL(request.url ?? '', 'http://double')
    const [, bucket, ...rest] = decodeURIComponent(pathname).split('/')
    const key = rest.join('/')
    if (bucket !== access.bucket) return refuse(404, 'NoSuchBucket')
    if (searchParams.get('list-type') === '2') return response.end(listPage(objects, searchParams))
    if (method === 'PUT') {
      if (request.headers['content-length'] === undefined) return refuse(411, 'MissingContentLength')
      objects.set(key, body)
      return response.writeHead(200, { etag: '"x"' }).end()
    }
    if (method === 'DELETE') {
      objects.delete(key)
      return response.writeHead(204).end()
    }
    const object = objects.get(key)
    if (!object) return refuse(404, 'NoSuchKey')
    const [, from, to] = /^bytes=(\d+)-(\d+)$/.exec(request.headers.range ?? '') ?? []
    if (Number(from) >= object.length) return refuse(416, 'InvalidRange')
    const last = Math.min(Number(to), object.length - 1)
    const part = from === undefined ? object : object.subarray(Number(from), last + 1)
    response.writeHead(from === undefined ? 200 : 206, {
      'content-length': part.length,
      ...(from === undefined ? {} : { 'content-range': `bytes ${from}-${last}/${object.length}` }),
    })
    if (method === 'HEAD') return response.end()
    if (!fault) return response.end(part)
    return response.write(part.subarray(0, fault.cutAt), () => setTimeout(() => request.socket.destroy(), 20))
  }

  const server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('error', () => {})
    request.on('end', () => void answer(request, response, Buffer.concat(chunks)))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  double.access = { ...access, endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}` }
  return double
}

/** Objects in a page of a listing: few, so that tests read several pages. */
const LIST_PAGE = 20

const hmac = (key: string | Buffer, text: string) => createHmac('sha256', key).update(text).digest()
const sha256 = (data: string | Buffer) => createHash('sha256').update(data).digest('hex')

/** Returns a page of objects. The token is the last key of the page before. */
function listPage(objects: ReadonlyMap<string, Buffer>, query: URLSearchParams): string {
  const [prefix, after] = [query.get('prefix') ?? '', query.get('continuation-token') ?? '']
  const keys = [...objects.keys()].filter((key) => key.startsWith(prefix) && key > after).sort()
  const page = keys.slice(0, LIST_PAGE)
  const contents = page.map((key) => `<Contents><Key>${key}</Key><Size>${objects.get(key)!.length}</Size></Contents>`)
  const more = keys.length > page.length ? `<NextContinuationToken>${page.at(-1)}</NextContinuationToken>` : ''
  return `<?xml version="1.0"?><ListBucketResult>${contents.join('')}${more}</ListBucketResult>`
}

/** Returns the S3 error code for an invalid signature (AWS Signature Version 4), or undefined if it is valid. */
function signatureFault(request: IncomingMessage, body: Buffer, access: S3Access): string | undefined {
  const { authorization = '', 'x-amz-date': date, 'x-amz-content-sha256': hash } = request.headers
  const found =
    /^AWS4-HMAC-SHA256 Credential=([^/]+)\/(\d{8})\/([^/]+)\/s3\/aws4_request, ?SignedHeaders=([^,]+), ?Signature=([0-9a-f]{64})$/.exec(
      authorization,
    )
  if (!found || typeof date !== 'string' || typeof hash !== 'string') return 'AccessDenied'
  const [, keyId, day, region, signed, signature] = found
  if (keyId !== access.accessKeyId || region !== access.region) return 'InvalidAccessKeyId'
  const names = signed!.split(';')
  for (const needed of ['host', 'x-amz-date', 'x-amz-content-sha256'])
    if (!names.includes(needed)) return 'AccessDenied'
  const at = Date.parse(date.replace(/^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/, '$1-$2-$3T$4:$5:$6Z'))
  if (!(Math.abs(Date.now() - at) < 15 * 60_000) || !date.startsWith(day!)) return 'RequestTimeTooSkewed'
  const headers = names.map((name) => `${name}:${String(request.headers[name] ?? '').trim()}\n`).join('')
  const [path = '', query = ''] = (request.url ?? '').split('?')
  const pairs = [...new URLSearchParams(query)].map((pair) => pair.map(encodeURIComponent).join('='))
  const sorted = pairs.sort().join('&')
  const canonical = [request.method, path, sorted, headers, signed, hash].join('\n')
  const scope = `${day}/${region}/s3/aws4_request`
  const text = ['AWS4-HMAC-SHA256', date, scope, sha256(canonical)].join('\n')
  const dayKey = hmac(`AWS4${access.secretAccessKey}`, day!)
  const right = hmac(hmac(hmac(hmac(dayKey, region!), 's3'), 'aws4_request'), text)
  if (!timingSafeEqual(right, Buffer.from(signature!, 'hex'))) return 'SignatureDoesNotMatch'
  return hash === 'UNSIGNED-PAYLOAD' || hash === sha256(body) ? undefined : 'XAmzContentSHA256Mismatch'
}
