import { beforeEach, describe, expect, it, vi } from 'vitest'
import type { ApiError } from '../../api/apiError.ts'
import { send } from './submission.ts'

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
      answer === 202 ? { task: { id: 't', status: 'Preparing', prompt: '', created_at: '' } } : { code: 'not_found' },
      {
        status: answer,
      },
    )
  })
  return () => vi.useRealTimers()
})

const order = (prompt: string) =>
  send({
    task_type: 'text_to_video',
    model: 'm',
    prompt,
    duration: 6,
    resolution: '768P',
    prompt_optimizer: true,
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

  it('is made anew if its task has been deleted since', async () => {
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
