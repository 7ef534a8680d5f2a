import type { Layout, ProcessName } from './layout.ts'

const INTERVAL_MS = 2_000
/** Samples that a slope needs. */
const FEWEST = 10
const MB = 2 ** 20

interface Sample {
  readonly minutes: number
  readonly bytes: number
}

/** Returns the slope of a line through the samples by least squares, MB a minute. */
function slopeOf(samples: readonly Sample[]): number {
  const mean = (value: (sample: Sample) => number) =>
    samples.reduce((sum, each) => sum + value(each), 0) / samples.length
  const [x, y] = [mean(({ minutes }) => minutes), mean(({ bytes }) => bytes)]
  const above = samples.reduce((sum, { minutes, bytes }) => sum + (minutes - x) * (bytes - y), 0)
  return above / samples.reduce((sum, { minutes }) => sum + (minutes - x) ** 2, 0) / MB
}

/** Samples the memory of each process and the age of the oldest task that has not started. */
export function startSamples({ running, connect }: Layout) {
  const pool = connect()
  const memory = new Map<ProcessName, Sample[]>()
  let [pid, oldest] = [new Map<ProcessName, number>(), 0]
  const begun = Date.now()
  const sample = async () => {
    for (const [name, program] of running) {
      // A killed process starts again with other memory.
      const samples = pid.get(name) === program.pid ? (memory.get(name) ?? []) : []
      pid.set(name, program.pid)
      const minutes = (Date.now() - begun) / 60_000
      try {
        memory.set(name, [...samples, { minutes, bytes: program.residentBytes() }])
      } catch {
        // The process was killed.
      }
    }
    const { rows } = await pool.query(
      `select extract(epoch from now() - min(created_at))::float as age from video_task where status = 'Preparing'`,
    )
    oldest = Math.max(oldest, rows[0].age ?? 0)
  }
  let last = Promise.resolve()
  const timer = setInterval(() => {
    last = last.then(sample).catch((error) => console.error('sample failed', error))
  }, INTERVAL_MS)
  return {
    /** Prints them. Returns the age of the oldest task, s. */
    async print(): Promise<number> {
      clearInterval(timer)
      await last
      await pool.end()
      for (const [name, samples] of memory) {
        // The first half warms caches up.
        const half = samples.slice(Math.floor(samples.length / 2))
        const slope = half.length < FEWEST ? 'too few samples for a slope' : `${slopeOf(half).toFixed(1)} MB a minute`
        console.log(`${name}: ${Math.round(half.at(-1)!.bytes / MB)} MB, ${slope}`)
      }
      console.log(`oldest unstarted task: ${oldest.toFixed(1)} s`)
      return oldest
    },
  }
}
