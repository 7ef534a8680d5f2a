import { beforeEach, expect, it } from 'vitest'
import { eventually } from '../../testing/eventually.ts'
import { createRunTogether } from './runTogether.ts'

const runs: { args: readonly string[]; done: PromiseWithResolvers<void> }[] = []
let pause: Promise<void> | undefined
let pauses = 0
const runTogether = createRunTogether(
  (args) => {
    const done = Promise.withResolvers<void>()
    runs.push({ args, done })
    return done.promise
  },
  async () => {
    pauses++
    await pause
  },
)

const convert = (name: string, ffmpegPath?: string) =>
  runTogether({ input: ['-i', name], output: [`${name}.jpg`] }, { ffmpegPath })
const argsOf = (...names: string[]) => [
  ...names.flatMap((name) => ['-i', name]),
  ...names.flatMap((name, n) => ['-map', `${n}:v:0`, `${name}.jpg`]),
]
const started = (count: number) => eventually(() => expect(runs).toHaveLength(count))

beforeEach(() => {
  runs.length = 0
  pause = undefined
  pauses = 0
})

it('starts a single conversion immediately, and those that wait for it together', async () => {
  const [first, ...others] = ['a', 'b', 'c'].map((name) => convert(name))
  await started(1)
  runs[0]!.done.resolve()
  await first
  await started(2)
  runs[1]!.done.resolve()
  await Promise.all(others)
  expect(runs.map(({ args }) => args)).toEqual([argsOf('a'), argsOf('b', 'c')])
})

it('shares a start among those that come in the pause after another', async () => {
  const paused = Promise.withResolvers<void>()
  pause = paused.promise
  const first = convert('a')
  await started(1)
  runs[0]!.done.resolve()
  await first
  await eventually(() => expect(pauses).toBe(1))
  const others = [convert('b'), convert('c')]
  expect(runs).toHaveLength(1)
  paused.resolve()
  await started(2)
  runs[1]!.done.resolve()
  await Promise.all(others)
  expect(runs.map(({ args }) => args)).toEqual([argsOf('a'), argsOf('b', 'c')])
})

it('ends the pause when as many wait as share a start', async () => {
  const paused = Promise.withResolvers<void>()
  pause = paused.promise
  const first = convert('a')
  await started(1)
  runs[0]!.done.resolve()
  await first
  await eventually(() => expect(pauses).toBe(1))
  const others = Array.from({ length: 8 }, (_, n) => convert(`${n}`))
  await started(2)
  runs[1]!.done.resolve()
  await Promise.all(others)
  paused.resolve()
})

it('repeats conversions alone after a failure, so that only the damaged one fails', async () => {
  const first = convert('a')
  const others = Promise.allSettled(['b', 'damaged', 'c'].map((name) => convert(name)))
  await started(1)
  runs[0]!.done.resolve()
  await first
  await started(2)
  runs[1]!.done.reject(new Error('one is damaged'))
  for (const [n, fault] of [undefined, new Error('damaged'), undefined].entries()) {
    await started(3 + n)
    if (fault) runs[2 + n]!.done.reject(fault)
    else runs[2 + n]!.done.resolve()
  }
  expect((await others).map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled'])
  expect(runs.slice(2).map(({ args }) => args)).toEqual([argsOf('b'), argsOf('damaged'), argsOf('c')])
})

it('shares a start among eight at most, and only among those of one ffmpeg', async () => {
  const all = [convert('a'), ...Array.from({ length: 9 }, (_, n) => convert(`${n}`)), convert('z', '/other')]
  for (let n = 0; n < 4; n++) {
    await started(n + 1)
    runs[n]!.done.resolve()
  }
  await Promise.all(all)
  expect(runs.map(({ args }) => args.filter((arg) => arg === '-i').length)).toEqual([1, 8, 1, 1])
})
