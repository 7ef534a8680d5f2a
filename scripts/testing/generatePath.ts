import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { Session } from 'node:inspector/promises'
import os from 'node:os'
import path from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { createDemoProvider } from '#backend/providers/video/demo/demoProvider.ts'
import type { RenderRequest } from '#backend/tasks/videoProvider.port.ts'
import { startTestKinora, type TestKinora } from '#backend/testing/testKinora.ts'
import { GENERATION, type TestUser } from '#backend/testing/testUser.ts'

// Records which files of the server run for one video, and prints them as JSON. `--write` updates the generated list of
// docs/mechanisms/generate.md. generatePath.int.spec.ts compares the page with a new recording.

const ROOT = path.resolve(import.meta.dirname, '../..')
const PAGE = path.join(ROOT, 'docs/mechanisms/generate.md')
const [START, END] = [
  '<!-- also runs: written by `node scripts/testing/generatePath.ts --write` -->',
  '<!-- end of also runs -->',
]
const VIDEOS = 3

export interface Recording {
  /** Files that run for every video, and not in a server whose pages are only looked at. */
  readonly always: readonly string[]
  /** Files that ran for at least one video. */
  readonly once: readonly string[]
}

/**
 * Work on timers: it also runs in a server without users, at moments that have nothing to do with the video. The last one runs for
 * pages, whenever the cached limits of a plan are ten seconds old.
 */
const BACKGROUND = [
  /^backend\/(audit|operators|kernel\/observability|providers\/payments)\//,
  /^backend\/accounts\/(erasures|mails\/outbox)\.ts$/,
  /^backend\/app\/(context|triggers|operators\/startAlerts)\.ts$/,
  /^backend\/kernel\/(sharedRateLimit|watchedFolder|eventsourcing\/watchDeliveries)\.ts$/,
  /^backend\/kernel\/postgres\/(endFailedRollbacks|leases|listen|openPool)\.ts$/,
  /^backend\/tasks\/catalogue\/catalogue\.ts$/,
  /^projections\/(engine\/reportLive|tasks\/readTaskHealth)\.ts$/,
  /^backend\/subscriptions\/plans\.contract\.ts$/,
]

/** Files that are always listed, because it depends on the moment whether a video or a timer runs them. */
export const SOMETIMES = [
  'backend/accounts/notices/videoNotices.ts',
  'backend/app/video/engineSettings.ts',
  'backend/kernel/eventsourcing/postgres/logTail.ts',
  'backend/kernel/outbox/outbox.ts',
  'backend/kernel/pool.ts',
  'projections/engine/readModel.ts',
]

/** Reads what the pages of a signed-in user read. */
const CALLS = ['/auth/me', '/videos/tasks', '/videos/stats', '/videos/models', '/videos/queue', '/subscriptions/stats']

async function lookAround(user: TestUser): Promise<void> {
  for (const call of CALLS) await (await user.call('GET', call)).text()
}

/** The status of a task whose credits are settled and whose workflow has ended. */
const SETTLED = `select status from video_task task where id = $1 and status in ('Success', 'Fail')
  and not exists (select from open_hold where id = task.id) and not exists (select from open_task where id = task.id)`

/** Orders a video. Resolves when its credits are captured and its slot is free again. */
async function makeVideo({ context }: TestKinora, user: TestUser): Promise<void> {
  const key = { 'idempotency-key': crypto.randomUUID() }
  const answer = await user.call('POST', '/videos/generate', GENERATION, key)
  const { task } = (await answer.json()) as { task: { id: string } }
  const isSettled = async () => {
    const { rows } = await context.pool.query<{ status: string }>(SETTLED, [task.id])
    if (rows[0]?.status === 'Fail') throw new Error('the video failed')
    return rows.length > 0
  }
  while (!(await isSettled())) await delay(20)
}

async function record(): Promise<Recording> {
  const session = new Session()
  session.connect()
  await session.post('Profiler.enable')
  await session.post('Profiler.startPreciseCoverage', { callCount: true })
  /** Returns the files of which a function was called since the last time. Loading a module does not count. */
  const filesThatRan = async () => {
    const { result } = await session.post('Profiler.takePreciseCoverage')
    const called = result.filter(({ functions }) => functions.slice(1).some(({ ranges }) => ranges[0]!.count > 0))
    const files = called
      .filter(({ url }) => url.startsWith('file:'))
      .map(({ url }) => path.relative(ROOT, fileURLToPath(url)))
    return new Set(files.filter((file) => /^(backend|projections|workflows)\/(?!testing\/)/.test(file)))
  }
  const jobs = mkdtempSync(path.join(os.tmpdir(), 'kinora-path-'))
  const demo = createDemoProvider(jobs)
  const create = (request: RenderRequest) => demo.create({ ...request, resolution: '144P', duration: 2 })
  const kinora = await startTestKinora({ provider: { ...demo, create } })
  const looked = new Set<string>()
  const made: Set<string>[] = []
  try {
    for (let video = 0; video < VIDEOS; video++) {
      const user = await kinora.newUser()
      await lookAround(user)
      await filesThatRan()
      await lookAround(user)
      for (const file of await filesThatRan()) looked.add(file)
      await makeVideo(kinora, user)
      made.push(await filesThatRan())
    }
  } finally {
    await kinora.close()
    rmSync(jobs, { recursive: true, force: true })
    session.disconnect()
  }
  const isOfVideo = (file: string) => !looked.has(file) && !BACKGROUND.some((place) => place.test(file))
  const once = [...new Set(made.flatMap((files) => [...files]))].sort()
  return { always: once.filter((file) => isOfVideo(file) && made.every((files) => files.has(file))), once }
}

/** Returns the files of the numbered list of docs/mechanisms/generate.md. */
export const tourOf = (page: string): string[] => [...page.matchAll(/^\d+\. `([^`]+)`/gm)].map(([, file]) => file!)

/** Returns the files of its generated list. */
export function alsoRunning(page: string): string[] {
  const list = page.split(START)[1]?.split(END)[0] ?? ''
  return [...list.matchAll(/^- `([^`]+)`: (.+)$/gm)].flatMap(([, folder, files]) =>
    [...files!.matchAll(/`([^`]+)`/g)].map(([, file]) => `${folder}${file}`),
  )
}

function withList(page: string, files: readonly string[]): string {
  const folders = Map.groupBy(files, (file) => `${path.posix.dirname(file)}/`)
  const lines = [...folders].map(
    ([folder, own]) => `- \`${folder}\`: ${own.map((file) => `\`${path.posix.basename(file)}\``).join(', ')}`,
  )
  return `${page.split(START)[0]}${START}\n\n${lines.join('\n')}\n\n${END}${page.split(END)[1]}`
}

if (import.meta.main) {
  const recording = await record()
  if (process.argv.includes('--write')) {
    const page = readFileSync(PAGE, 'utf8')
    const tour = new Set(tourOf(page))
    const files = [...new Set([...recording.always, ...SOMETIMES])].sort()
    writeFileSync(
      PAGE,
      withList(
        page,
        files.filter((file) => !tour.has(file)),
      ),
    )
  } else console.log(JSON.stringify(recording))
}
