import { cpuTime, ownCpuTime } from '../analytics/cpuTime.ts'
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

/** CPU time of a process and of the programs that it has run, ms. */
interface Cpu {
  readonly own: number
  readonly programs: number
}

function cpuOf(pid: number): Cpu {
  const own = ownCpuTime(pid)
  return { own, programs: cpuTime(pid) - own }
}

/** Samples the memory of each process and the age of the oldest task that has not started. */
export function startSamples({ running, connect, postmaster }: Layout) {
  const pool = connect()
  const memory = new Map<ProcessName, Sample[]>()
  let [pid, oldest] = [new Map<ProcessName, number>(), 0]
  const begun = Date.now()
  const cpuAt = new Map([...running.values()].map((program) => [program.pid, cpuOf(program.pid)]))
  const [postgresAt, ownAt] = [cpuTime(postmaster), process.cpuUsage()]
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
    /** @param delivered number of videos */
    async print(delivered: number): Promise<void> {
      clearInterval(timer)
      await last
      await pool.end()
      const perVideo = (ms: number) => `${(ms / delivered).toFixed(1)} ms`
      const { user, system } = process.cpuUsage(ownAt)
      console.log(
        `CPU of a video: PostgreSQL ${perVideo(cpuTime(postmaster) - postgresAt)}, this load ${perVideo((user + system) / 1_000)}`,
      )
      for (const [name, { pid }] of running) {
        // The time of a killed process is lost.
        const before = cpuAt.get(pid)
        if (!before) continue
        const { own, programs } = cpuOf(pid)
        console.log(
          `CPU of a video: ${name} ${perVideo(own - before.own)}, its programs ${perVideo(programs - before.programs)}`,
        )
      }
      for (const [name, samples] of memory) {
        // The first half warms caches up.
        const half = samples.slice(Math.floor(samples.length / 2))
        const slope = half.length < FEWEST ? 'too few samples for a slope' : `${slopeOf(half).toFixed(1)} MB a minute`
        console.log(`${name}: ${Math.round(half.at(-1)!.bytes / MB)} MB, ${slope}`)
      }
      console.log(`oldest unstarted task: ${oldest.toFixed(1)} s`)
    },
  }
}
