import { randomUUID } from 'node:crypto'

type Nodes = Readonly<Record<string, { readonly class_type: string; readonly inputs: object }>>

/** A film of one colour, which core nodes make without a model. */
const filmOf = (images: string, more: Nodes = {}): Nodes => ({
  '3': { class_type: 'EmptyImage', inputs: { width: 256, height: 256, batch_size: 8, color: 4_456_703 } },
  '8': { class_type: 'CreateVideo', inputs: { images: [images, 0], fps: 8 } },
  '9': {
    class_type: 'SaveVideo',
    inputs: { video: ['8', 0], filename_prefix: 'kinora/test', format: 'mp4', codec: 'auto' },
  },
  ...more,
})
const still: Nodes = { '7': { class_type: 'SaveImage', inputs: { images: ['3', 0], filename_prefix: 'kinora/test' } } }
const blurred = Object.fromEntries(
  Array.from({ length: 12 }, (_, n) => {
    const image = [n === 0 ? '3' : String(99 + n), 0]
    return [String(100 + n), { class_type: 'ImageBlur', inputs: { image, blur_radius: 31, sigma: 5 } }]
  }),
)

/** Sends the calls of the adapter to a server and returns its answers by their names, reduced to what Kinora reads. */
export async function recordAnswers(url: string): Promise<Readonly<Record<string, unknown>>> {
  const answers: Record<string, unknown> = {}
  const ask = async (method: string, path: string, body?: object) => {
    const init: RequestInit = body instanceof FormData ? { body } : body ? { body: JSON.stringify(body) } : {}
    const answer = await fetch(url + path, { method, ...init })
    return { status: answer.status, body: jsonOf(await answer.text()) }
  }
  const record = async (name: string, ...call: Parameters<typeof ask>) => {
    const { status, body } = await ask(...call)
    answers[name] = { status, body: whatIsRead(body) }
  }
  const until = async (path: string, text: string) => {
    while (!JSON.stringify((await ask('GET', path)).body ?? '').includes(text));
  }
  const queue = async (name: string, prompt: Nodes) => {
    const prompt_id: string = randomUUID()
    await record(name, 'POST', '/prompt', { prompt, prompt_id, client_id: 'kinora-test' })
    return prompt_id
  }
  const picture = new FormData()
  picture.set('image', new Blob(['no picture']), 'kinora-test.jpg')
  picture.set('subfolder', 'kinora')
  picture.set('overwrite', 'true')
  await record('a job by its id', 'GET', '/api/jobs/unknown')
  await record('an unknown job', 'GET', '/history/unknown')
  await record('an empty queue', 'GET', '/queue')
  await queue('a graph with an unknown node', { '5': { class_type: 'NoSuchNode', inputs: {} } })
  await queue('a graph of which every output is left out', filmOf('3000'))
  const part = await queue('a graph of which one output is left out', filmOf('3000', still))
  await until(`/history/${part}`, 'status_str')
  const film = await queue('a graph', filmOf('3'))
  await until(`/history/${film}`, 'status_str')
  await record('its job', 'GET', `/history/${film}`)
  await record('forgetting it', 'POST', '/history', { delete: [film, part] })
  await record('its job, forgotten', 'GET', `/history/${film}`)
  const slow = await queue('a slow graph', filmOf('111', blurred))
  await until('/queue', '"queue_running":[[')
  await record('the queue with it', 'GET', '/queue')
  await record('stopping an unknown job', 'POST', '/interrupt', { prompt_id: 'unknown' })
  await record('stopping it', 'POST', '/interrupt', { prompt_id: slow })
  await until(`/history/${slow}`, 'status_str')
  await record('its job, stopped', 'GET', `/history/${slow}`)
  await record('forgetting the stopped one', 'POST', '/history', { delete: [slow] })
  await record('removing an unknown job from the queue', 'POST', '/queue', { delete: ['unknown'] })
  await record('uploading a picture', 'POST', '/upload/image', picture)
  await record('the picture', 'GET', '/view?filename=kinora-test.jpg&subfolder=kinora&type=input')
  await record('an unknown picture', 'GET', '/view?filename=unknown.jpg&subfolder=kinora&type=input')
  await record('an unknown node', 'GET', '/object_info/NoSuchNode')
  await record('a node', 'GET', '/object_info/CreateVideo')
  return answers
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

const isObject = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null

const EVENTS = ['execution_start', 'execution_success', 'execution_error', 'execution_interrupted']
/** Fields that the adapter reads. Nodes have numbers, and jobs ids. */
const FIELDS =
  /^(?:error|node_errors|errors|message|details|class_type|dependent_outputs|queue_\w+|outputs|status|status_str|images|type|input_order|required|optional|CreateVideo|\d+)$/
const TYPES = /^(?:prompt_id|filename|subfolder|name)$/
const JOB = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/

function whatIsRead(body: unknown): unknown {
  if (Array.isArray(body)) return body.filter((each) => each.type !== 'temp').map(whatIsRead)
  if (!isObject(body)) return body === undefined ? 'no JSON' : body
  const read: Record<string, unknown> = {}
  for (const [name, value] of Object.entries(body).toSorted(([a], [b]) => (a < b ? -1 : 1))) {
    if (name === 'messages')
      read.messages = (value as [string][]).flatMap(([each]) => (EVENTS.includes(each) ? each : []))
    else if (/^queue_/.test(name))
      read[name] = (value as unknown[][]).map((each) => each.slice(0, 2).map((part) => typeof part))
    else if (JOB.test(name)) read.job = whatIsRead(value)
    else if (TYPES.test(name)) read[name] = typeof value
    else if (FIELDS.test(name)) read[name] = whatIsRead(value)
  }
  return read
}
