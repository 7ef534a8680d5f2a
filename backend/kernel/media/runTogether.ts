import { setTimeout as delay } from 'node:timers/promises'
import { FFMPEG_LIMITS, type RunOptions, runFfmpeg } from './ffmpeg.ts'

/** A conversion of one file into another. */
interface Conversion {
  /** Arguments that end with the file to read. */
  readonly input: readonly string[]
  /** Arguments that end with the file to write. */
  readonly output: readonly string[]
}

interface Waiting extends Conversion, Pick<RunOptions, 'signal' | 'ffmpegPath'> {
  readonly done: PromiseWithResolvers<void>
}

/** Conversions that share a start. Each has its own decoder, which takes about 20 MB. */
const MAX_TOGETHER = 8

/** Pause between starts, unless as many wait as can share one. Of twelve films a second, four then share a start. */
const PAUSE_MS = 250

/** One short program at a time need not give way to requests, and many films may wait for it. */
const LIMITS = { ...FFMPEG_LIMITS, niceness: 0 }

/**
 * Returns a function that runs short conversions with ffmpeg: the first one immediately, others after a pause. Those that have waited
 * share a start, which takes 12 to 80 ms of CPU time with many builds. If that fails, each of them runs alone.
 */
export function createRunTogether(
  runFfmpeg: (args: readonly string[], options: RunOptions) => Promise<void>,
  pause: () => Promise<unknown>,
) {
  const waiting: Waiting[] = []
  let full = Promise.withResolvers<void>()
  let running = false

  const run = (group: readonly Waiting[]) => {
    const signals = group.flatMap(({ signal }) => signal ?? [])
    const outputs = group.flatMap(({ output }, n) => ['-map', `${n}:v:0`, ...output])
    return runFfmpeg([...group.flatMap(({ input }) => input), ...outputs], {
      ffmpegPath: group[0]?.ffmpegPath,
      limits: LIMITS,
      ...(signals.length > 0 && { signal: AbortSignal.any(signals) }),
    })
  }

  const runAll = async () => {
    running = true
    while (waiting.length > 0) {
      const { ffmpegPath } = waiting[0]!
      const end = waiting.findIndex((each) => each.ffmpegPath !== ffmpegPath)
      const group = waiting.splice(0, Math.min(MAX_TOGETHER, end < 0 ? waiting.length : end))
      const together = group.length > 1 && (await run(group).then(isDone, () => false))
      if (together) for (const { done } of group) done.resolve()
      else for (const each of group) await run([each]).then(each.done.resolve, each.done.reject)
      full = Promise.withResolvers()
      if (waiting.length < MAX_TOGETHER) await Promise.race([pause(), full.promise])
    }
    running = false
  }

  return (conversion: Conversion, options: Pick<RunOptions, 'signal' | 'ffmpegPath'> = {}): Promise<void> => {
    const done = Promise.withResolvers<void>()
    waiting.push({ ...conversion, ...options, done })
    if (waiting.length >= MAX_TOGETHER) full.resolve()
    if (!running) void runAll()
    return done.promise
  }
}

const isDone = () => true

/**
 * Runs a conversion as {@link createRunTogether} says.
 * @example await runTogether({ input: ['-i', 'a.mp4'], output: ['-frames:v', '1', 'a.jpg'] }, { signal })
 */
export const runTogether = createRunTogether(runFfmpeg, () => delay(PAUSE_MS))
