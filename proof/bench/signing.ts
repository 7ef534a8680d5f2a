import { copyFile, mkdtemp, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { createMarker } from '#backend/kernel/media/marks/createMarker.ts'
import { parseCredential } from '#backend/kernel/media/marks/credential.ts'
import { issueCredential } from '#backend/kernel/media/marks/issueCredential.ts'
import { createSigner } from '#backend/kernel/media/marks/signInThread.ts'
import { cpuTime } from './analytics/cpuTime.ts'
import { renderNoise } from './films/renderNoise.ts'

// Measures what marking a clip costs: an original, which Kinora signs itself, and a copy, which the library signs.
// Run with: node proof/bench/signing.ts [runs per clip]

const RUNS = Number(process.argv[2] ?? 12)
const CLIPS = [
  { name: '6 s at 768P', size: '1366x768', seconds: 6, megabits: 2.7 },
  { name: '10 s at 768P', size: '1366x768', seconds: 10, megabits: 4 },
  { name: '6 s at 1080P', size: '1920x1080', seconds: 6, megabits: 6.7 },
  { name: '10 s at 1080P', size: '1920x1080', seconds: 10, megabits: 8 },
]

const folder = await mkdtemp(path.join(tmpdir(), 'kinora-signing-'))
const { certificates, key } = await issueCredential(Date.now())
const signer = createSigner(async () => parseCredential(certificates, key))
const marker = createMarker(signer, 'Kinora', undefined, { warn: () => {} })

const median = (values: readonly number[]) => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)]!

/** Of CPU times, which have a resolution of 10 ms. */
const mean = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / values.length
const cpuMs = () => cpuTime(process.pid)

async function measure(work: () => Promise<unknown>, prepare: () => Promise<unknown>): Promise<string> {
  const [times, costs]: [number[], number[]] = [[], []]
  for (let run = 0; run <= RUNS; run++) {
    await prepare()
    const [start, cpu] = [performance.now(), cpuMs()]
    await work()
    // The first run loads the library.
    if (run > 0) times.push(performance.now() - start)
    if (run > 0) costs.push(cpuMs() - cpu)
  }
  return `${median(times).toFixed(0)} ms (at most ${Math.max(...times).toFixed(0)}), ${mean(costs).toFixed(0)} ms of CPU`
}

const FILM = {
  taskId: '0198c2a0-0000-7000-8000-000000000001',
  origin: { source: 'trainedAlgorithmicMedia', agent: null },
} as const

for (const { name, size, seconds, megabits } of CLIPS) {
  const [source, original, copy] = ['source', 'original', 'copy'].map((part) => path.join(folder, `${part}.mp4`)) as [
    string,
    string,
    string,
  ]
  await renderNoise(source, { size, seconds, megabits })
  const marked = await measure(
    () => marker.markVideo(original, FILM),
    () => copyFile(source, original),
  )
  const copied = await measure(
    () => marker.markCopy(copy, FILM, original, 'A watermark was added.'),
    () => copyFile(source, copy),
  )
  console.log(`${name}, ${((await stat(source)).size / 1e6).toFixed(1)} MB: marked in ${marked}; a copy in ${copied}`)
}
await signer.close()
await rm(folder, { recursive: true, force: true })
