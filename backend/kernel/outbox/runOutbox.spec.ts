import { expect, it, onTestFinished } from 'vitest'
import { eventually } from '../../testing/eventually.ts'
import type { Attempt, Claimed } from './outbox.ts'
import { runOutbox } from './runOutbox.ts'

/** Runs an outbox in memory. Returns what was sent, and what was recorded. */
function run(waiting: Pick<Claimed, 'id' | 'target'>[], send: (message: Claimed) => Promise<Attempt>) {
  const recorded: unknown[] = []
  const errors: unknown[] = []
  const outbox = runOutbox({
    outbox: {
      // As the database does, a few for each target.
      release: async () => {},
      async claim(_, __, except) {
        const targets = new Set(waiting.map(({ target }) => target).filter((target) => !except.includes(target)))
        const claimed = [...targets].flatMap((target) => waiting.filter((each) => each.target === target).slice(0, 4))
        for (const each of claimed) waiting.splice(waiting.indexOf(each), 1)
        return claimed.map((each) => ({ ...each, userId: 'u', channel: 'webhook', about: '', body: '', attempts: 1 }))
      },
      record: async ({ id }, { outcome }, _, waitMs) => void recorded.push([id, outcome, waitMs]),
    },
    token: 1,
    channels: { webhook: { send, wait: () => 5_000 } },
    clock: () => 0,
    onChange: () => () => {},
    onError: (error) => errors.push(error),
  })
  onTestFinished(() => outbox.stop())
  return { recorded, errors }
}

const messages = (target: string, count: number) =>
  Array.from({ length: count }, (_, n) => ({ id: `${target}${n}`, target }))

it('goes on with the others while one target does not answer, which keeps four attempts busy at most', async () => {
  let silent = 0
  const answer = Promise.withResolvers<Attempt>()
  const send = async ({ target }: Claimed): Promise<Attempt> => {
    if (target !== 'silent') return { outcome: 'sent' }
    silent++
    return answer.promise
  }
  const { recorded } = run([...messages('silent', 50), ...messages('good', 50)], send)
  await eventually(() => expect(recorded).toHaveLength(50))
  expect([silent, recorded.every((each) => String(each).startsWith('good'))]).toEqual([4, true])
  answer.resolve({ outcome: 'sent' })
})

it('records an attempt that throws as failed, with the wait of its channel or the longer one that was asked for', async () => {
  const send = async ({ id }: Claimed): Promise<Attempt> => {
    if (id === 'a0') throw new Error('broken')
    return { outcome: id === 'a1' ? 'refused' : 'failed', waitMs: 9_000 }
  }
  const { recorded, errors } = run(messages('a', 3), send)
  await eventually(() => expect(recorded).toHaveLength(3))
  expect(recorded.toSorted()).toEqual([
    ['a0', 'failed', 5_000],
    ['a1', 'refused', null],
    ['a2', 'failed', 9_000],
  ])
  expect(errors).toHaveLength(1)
})
