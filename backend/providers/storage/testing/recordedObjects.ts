import { AwsClient } from 'aws4fetch'
import type { S3Access } from '../s3MediaStore.ts'

/** What a bucket answered, reduced to what Kinora reads. */
interface RecordedAnswer {
  readonly status: number
  readonly range?: string
  readonly body: string
}

type Call = readonly [
  name: string,
  method: string,
  path: string,
  more?: { readonly range?: string; readonly body?: string },
]

/** The calls, in their order, to an empty bucket. */
const CALLS: readonly Call[] = [
  ['an upload', 'PUT', '/videos/a.mp4', { body: '0123456789' }],
  ['an upload over it', 'PUT', '/videos/a.mp4', { body: 'abcdefghij' }],
  ['an object', 'GET', '/videos/a.mp4'],
  ['its size', 'HEAD', '/videos/a.mp4'],
  ['a range', 'GET', '/videos/a.mp4', { range: 'bytes=2-5' }],
  ['a range that ends after the object', 'GET', '/videos/a.mp4', { range: 'bytes=8-99' }],
  ['a range after the object', 'GET', '/videos/a.mp4', { range: 'bytes=10-12' }],
  ['an unknown object', 'GET', '/videos/b.mp4'],
  ['the size of an unknown object', 'HEAD', '/videos/b.mp4'],
  ['a list', 'GET', '?list-type=2&prefix=videos/'],
  ['a deletion', 'DELETE', '/videos/a.mp4'],
  ['a deletion again', 'DELETE', '/videos/a.mp4'],
  ['an empty list', 'GET', '?list-type=2&prefix=videos/'],
]

/** Sends the calls to a bucket and returns its answers by their names. */
export async function recordAnswers(access: S3Access): Promise<Readonly<Record<string, RecordedAnswer>>> {
  const { endpoint, bucket, ...account } = access
  const client = new AwsClient({ ...account, service: 's3', retries: 0 })
  const wrong = new AwsClient({ ...account, secretAccessKey: 'wrong', service: 's3', retries: 0 })
  const answers: Record<string, RecordedAnswer> = {}
  const send = async (sender: AwsClient, [name, method, path, { range, body } = {}]: Call) => {
    const init = { method, ...(range ? { headers: { range } } : {}), ...(body ? { body } : {}) }
    const answer = await sender.fetch(`${endpoint}/${bucket}${path}`, init)
    const shown = answer.headers.get('content-range')
    answers[name] = {
      status: answer.status,
      ...(shown ? { range: shown } : {}),
      body: method === 'HEAD' && answer.ok ? answer.headers.get('content-length')! : whatIsRead(await answer.text()),
    }
  }
  for (const call of CALLS) await send(client, call)
  await send(wrong, ['a wrong secret', 'GET', '/videos/a.mp4'])
  return answers
}

/** Returns the code of a fault, the objects of a list with their sizes, or the text itself. */
function whatIsRead(text: string): string {
  if (text.includes('<Error>')) return /<Code>(\w+)<\/Code>/.exec(text)![1]!
  if (!text.includes('<ListBucketResult')) return text
  const objects = text.matchAll(/<Contents>.*?<\/Contents>/gs)
  const tag = (name: string, within: string) => new RegExp(`<${name}>(.*?)</${name}>`).exec(within)?.[1]
  return [...objects].map(([each]) => `${tag('Key', each)} ${tag('Size', each)}`).join(', ')
}
