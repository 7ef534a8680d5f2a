import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import type { ModelView } from '#backend/tasks/contract.ts'
import { eventually } from '#backend/testing/eventually.ts'
import type { ApiError } from '../../api/apiError.ts'
import { $credits } from '../../api/credits.ts'
import { $models, formModel } from '../../api/models.ts'
import { $cost, $generation } from './generation.ts'
import { DEFAULT_CHOICES } from './generationRules.ts'
import { NO_OPTIONS } from './options/optionRules.ts'
import { send, submit } from './submission.ts'

/** Answers of the server to orders, one by one: a status, or 'lost' for an answer that does not arrive. */
let answers: (number | 'lost')[]
/** Idempotency keys of the orders. */
let keys: string[]

beforeEach(() => {
  vi.useFakeTimers()
  vi.stubGlobal('document', { documentElement: { lang: 'en', dataset: {} }, getElementById: () => null })
  keys = []
  vi.stubGlobal('fetch', async (address: string, { headers }: RequestInit) => {
    if (!address.endsWith('/videos/generate')) throw new TypeError('not part of the test')
    keys.push(new Headers(headers).get('idempotency-key')!)
    const answer = answers.shift()!
    if (answer === 'lost') throw new TypeError('the connection is lost')
    return Response.json(
      answer === 202
        ? { task: { id: 't', url: '/film/t', status: 'Preparing', prompt: '', created_at: '' } }
        : { code: 'not_found' },
      {
        status: answer,
      },
    )
  })
  return () => vi.useRealTimers()
})

const order = (prompt: string, price = 30) =>
  send({
    task_type: 'text_to_video',
    model: 'm',
    prompt,
    duration: 6,
    resolution: '768P',
    prompt_optimizer: true,
    expected_credits: price,
  }).then(
    () => 'made',
    (error: ApiError) => error.status ?? error,
  )

describe('an order whose answer was lost', () => {
  it('is repeated under its key', async () => {
    answers = ['lost', 202, 202]
    expect([await order('a'), await order('a'), await order('a')]).toEqual([0, 'made', 'made'])
    expect(keys[1]).toBe(keys[0])
    expect(keys[2]).not.toBe(keys[0])
  })

  it('is repeated under its key if the price has changed since', async () => {
    answers = ['lost', 202]
    expect([await order('e', 30), await order('e', 90)]).toEqual([0, 'made'])
    expect(keys[1]).toBe(keys[0])
  })

  it('is made again if its task has been deleted since', async () => {
    answers = ['lost', 404, 202]
    expect([await order('b'), await order('b')]).toEqual([0, 'made'])
    expect(keys[1]).toBe(keys[0])
    expect(keys[2]).not.toBe(keys[0])
  })

  it('is another order two minutes later, when the list shows what became of it', async () => {
    answers = ['lost', 'lost', 202]
    await order('c')
    vi.advanceTimersByTime(119_999)
    await order('c')
    vi.advanceTimersByTime(1)
    expect(await order('c')).toBe('made')
    expect(keys[1]).toBe(keys[0])
    expect(keys[2]).not.toBe(keys[0])
  })

  it('is not repeated for ever', async () => {
    answers = [404]
    expect(await order('d')).toBe(404)
  })
})

describe('an order of a page whose catalogue has changed since', () => {
  const [models, form] = [$models.get(), $generation.get()]
  const [model] = models
  afterEach(() => {
    $models.set(models)
    $generation.set(form)
  })
  const view = (credits: number): ModelView => ({
    ...{ name: model!.id, display_names: model!.names, descriptions: model!.descriptions },
    ...{ durations: [6], resolutions: ['768P'], supports_camera_movement: true },
    ...{ supports_text_to_video: true, supports_image_to_video: false, supports_last_frame: false },
    costs: [{ task_types: ['text_to_video'], resolution: '768P', duration: 6, credits }],
    ...{ aspect_ratios: [], cropped_ratios: [], max_references: 0, supports_sound: false, supports_seed: false },
    ...{ supports_negative_prompt: false, supports_cancel: false, engines: [], regenerates_to: null },
  })

  it.each([
    [409, { code: 'price_changed', credits: 90 }],
    [422, { code: 'invalid_input', errors: [{ path: 'model', code: 'unknown_model' }] }],
  ])('names the price that was shown, and a %i answer puts the new one on the button', async (status, problem) => {
    const sent: object[] = []
    vi.stubGlobal('fetch', async (address: string, { body }: RequestInit) => {
      if (address.endsWith('/videos/models')) return Response.json([view(90)])
      if (!address.endsWith('/videos/generate')) throw new TypeError('not part of the test')
      sent.push(JSON.parse(String(body)))
      return Response.json(problem, { status })
    })
    $models.set([formModel(view(30))])
    $credits.set(null)
    $generation.set({ ...DEFAULT_CHOICES, ...NO_OPTIONS, prompt: 'A cat', promptOptimizer: true })
    await submit()
    expect(sent).toEqual([expect.objectContaining({ expected_credits: 30 })])
    await eventually(() => expect($cost.get()).toBe(90))
  })
})
