import { readFile } from 'node:fs/promises'
import { makeTinyVideo } from '#backend/testing/tinyVideo.ts'
import { type Answer, formOf, startEngineServer } from '../../testing/engineServer.ts'

/** new-api's error of a task: neither `error` nor `detail`. */
const taskError = (status: number, code: string, message = code): Answer => ({
  status,
  body: { code, message, data: null },
})
const error = (status: number, message: string): Answer => ({
  status,
  body: { error: { message, type: 'invalid_request_error', param: '', code: '' } },
})

/**
 * Starts a double of new-api in front of an engine of the shape, made from its source (`router/video-router.go`,
 * `relay/relay_task.go`, `controller/video_proxy.go`, `controller/model.go`), not from a server that ran.
 */
export async function startNewApiDouble() {
  const video = await readFile(await makeTinyVideo())
  const jobs = new Map<string, Record<string, unknown>>()
  const double = Object.assign(
    await startEngineServer(async (received): Promise<Answer> => {
      const [, , area, id = '', part] = received.url.pathname.split('/')
      const { call } = received
      if (call === 'GET /v1/models') return { body: { success: true, data: double.cards, object: 'list' } }
      if (call === 'POST /v1/videos') {
        const { prompt, model, seconds, size } = Object.fromEntries(await formOf(received))
        if (!prompt) return taskError(400, 'invalid_request', 'prompt is required')
        if (double.upstream) return taskError(double.upstream.status, 'fail_to_fetch_task', double.upstream.text)
        const made = `task_${jobs.size}`
        const common = { object: 'video', model, created_at: Math.floor(Date.now() / 1000), seconds, size }
        jobs.set(made, { id: made, task_id: made, status: 'completed', progress: 100, ...common })
        return { body: { ...jobs.get(made), status: 'queued', progress: 0 } }
      }
      if (!call.startsWith('GET /v1/videos/') || area !== 'videos')
        return error(404, `Invalid URL (${received.call.replace(/\?.*$/, '')})`)
      const job = jobs.get(id)
      if (part === 'content') return job ? { body: video } : error(404, 'Task not found')
      return job ? { body: job } : taskError(400, 'task_not_exist')
    }),
    {
      jobs,
      cards: [
        cardOf('Wan2.2-TI2V-5B', ['openai-video']),
        cardOf('kling-v3', ['openai']),
        cardOf('gpt-4o', ['openai', 'openai-response']),
        cardOf('wan-image', ['image-generation', 'openai']),
      ],
      /** What the engine behind refuses the next orders with. */
      upstream: undefined as { readonly status: number; readonly text: string } | undefined,
    },
  )
  return double
}

const cardOf = (id: string, supported_endpoint_types: readonly string[]) => ({
  ...{ id, object: 'model', created: 1_626_777_600, owned_by: 'custom' },
  supported_endpoint_types,
})

/** Starts a double of LocalAI, made from its source: videos are made within `POST /video`, and there is no `/v1/videos`. */
export function startLocalAiDouble() {
  const models = [
    { id: 'wan-2.2', output_modalities: ['video'] },
    { id: 'qwen3', output_modalities: ['text'] },
  ]
  return startEngineServer(({ call }): Answer => {
    const cards = models.map(({ id }) => ({ id, object: 'model' }))
    if (call === 'GET /v1/models') return { body: { object: 'list', data: cards } }
    if (call === 'GET /v1/models/capabilities') return { body: { object: 'list', data: models } }
    return { status: 404, body: { error: { code: 404, message: 'Resource not found', type: '' } } }
  })
}
