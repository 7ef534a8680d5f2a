/** A call whose answer by a real engine is recorded, and that the double must answer alike. */
interface RecordedCall {
  readonly name: string
  readonly method: 'GET' | 'POST' | 'DELETE'
  /** `{job}` stands for the job of the last order. */
  readonly path: string
  readonly form?: Readonly<Record<string, string>>
  /** Calls again until the job has ended. */
  readonly untilEnded?: true
}

/** What an engine answered, reduced to what Kinora reads. */
export interface RecordedAnswer {
  readonly status: number
  readonly body: unknown
}

const TARGET = { short_edge: 768, aspect_ratio: '16:9', duration_seconds: 5 }
const order = (name: string, form: Readonly<Record<string, string>>): RecordedCall => ({
  name,
  method: 'POST',
  path: '/v1/videos',
  form: { prompt: 'A cat', model: 'MiniMaxAI/MiniMax-H3', seconds: '5', ...form },
})
const job = (name: string, method: 'GET' | 'DELETE', part = ''): RecordedCall => ({
  name,
  method,
  path: `/v1/videos/{job}${part}`,
})

/** The calls, in their order. The engine serves MiniMax-H3. */
const RECORDED_CALLS: readonly RecordedCall[] = [
  { name: 'the list of models', method: 'GET', path: '/v1/models' },
  { name: 'an unknown job', method: 'GET', path: '/v1/videos/unknown' },
  { name: 'deleting an unknown job', method: 'DELETE', path: '/v1/videos/unknown' },
  order('an order without a prompt', { prompt: '' }),
  order('seconds that are no number', { seconds: 'five' }),
  order('an order in the form of vLLM-Omni', { aspect_ratio: '16:9', short_edge: '768' }),
  order('a negative prompt in the form of SGLang', {
    task: 't2va',
    target: JSON.stringify(TARGET),
    negative_prompt: 'blur',
  }),
  order('an order of 2K', { aspect_ratio: '16:9', short_edge: '1440' }),
  { ...job('the job of 2K, ended', 'GET'), untilEnded: true },
  order('an order without a ratio', { short_edge: '768' }),
  { ...job('the job without a ratio, ended', 'GET'), untilEnded: true },
  order('keyframes without a picture', { task: 'fl2va', target: JSON.stringify(TARGET) }),
  order('a target without an edge', { task: 't2va', target: JSON.stringify({ ...TARGET, short_edge: undefined }) }),
  order('twenty seconds', { task: 't2va', target: JSON.stringify({ ...TARGET, duration_seconds: 20 }) }),
  order('an order that both take', {
    task: 't2va',
    target: JSON.stringify(TARGET),
    aspect_ratio: '16:9',
    short_edge: '768',
  }),
  job('its content, too early', 'GET', '/content'),
  { ...job('its job, ended', 'GET'), untilEnded: true },
  { name: 'the list of jobs', method: 'GET', path: '/v1/videos?limit=100&order=desc' },
  job('deleting it', 'DELETE'),
  job('its job, deleted', 'GET'),
]

/** Sends the calls to a server and returns its answers by their names. */
export async function recordAnswers(url: string): Promise<Readonly<Record<string, RecordedAnswer>>> {
  const answers: Record<string, RecordedAnswer> = {}
  let jobId = 'none'
  for (const call of RECORDED_CALLS) {
    const body = call.form && formOf(call.form)
    const send = () =>
      fetch(url + call.path.replace('{job}', jobId), { method: call.method, ...(body ? { body } : {}) })
    let answer = await send()
    let text = await answer.text()
    while (call.untilEnded && /"status": ?"(?:queued|in_progress)"/.test(text)) {
      answer = await send()
      text = await answer.text()
    }
    const parsed = jsonOf(text)
    if (call.method === 'POST') jobId = idOf(parsed) ?? 'none'
    answers[call.name] = { status: answer.status, body: whatIsRead(parsed) }
  }
  return answers
}

function formOf(fields: Readonly<Record<string, string>>): FormData {
  const form = new FormData()
  for (const [name, value] of Object.entries(fields)) form.set(name, value)
  return form
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

const isObject = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null
const idOf = (body: unknown) => (isObject(body) && typeof body.id === 'string' ? body.id : undefined)

/** Fields whose values the adapter reads. Of others, such as ids and times, only the type counts. */
const VALUES = ['status', 'prompt', 'seconds', 'owned_by', 'has_more', 'deleted', 'message', 'code', 'detail']
const TYPES = ['id', 'created_at', 'url']
const LISTS = ['data', 'error']

function whatIsRead(body: unknown): unknown {
  // Jobs of one second have any order, and those of earlier calls any state.
  if (Array.isArray(body)) {
    const read = body.map((each) => JSON.stringify({ ...Object(whatIsRead(each)), status: undefined }))
    return [...new Set(read)].toSorted()
  }
  if (!isObject(body)) return body === undefined ? 'no JSON' : typeof body
  const read: Record<string, unknown> = {}
  for (const [name, value] of Object.entries(body).toSorted(([a], [b]) => (a < b ? -1 : 1))) {
    if (value === null || value === undefined) continue
    if (name === 'detail' && typeof value !== 'string') read.detail = 'a list of faults'
    else if (VALUES.includes(name)) read[name] = value
    else if (TYPES.includes(name)) read[name] = typeof value
    else if (LISTS.includes(name)) read[name] = whatIsRead(value)
  }
  return read
}
