import { setTimeout as delay } from 'node:timers/promises'
import { createProviderDouble } from '#backend/providers/video/testing/providerDouble.ts'
import { startTestKinora } from '#backend/testing/testKinora.ts'
import { GENERATION } from '#backend/testing/testUser.ts'
import { countStatements, type Statements } from './statements/countStatements.ts'

/**
 * Counts the SQL statements of one video, from the click until its credits are captured, with all roles in one process:
 * `npm run bench -- statementsPerVideo [videos] [in flight]`. A provider double is finished immediately. Idle loops count
 * too. Prints the most frequent statements.
 */
const videos = Number(process.argv[2] ?? 20)
const inFlight = Number(process.argv[3] ?? 12)
const SHOWN = 40

const statements = countStatements()
const kinora = await startTestKinora({ provider: await createProviderDouble() })
const { pool, changes } = kinora.context
const creators = await Promise.all(Array.from({ length: inFlight }, () => kinora.newUser()))
for (const { userId: id } of creators)
  await kinora.services.credits.adjust(
    id,
    { adjustmentId: id, amount: 1_000_000, reason: 'bench' },
    { commandId: id, actor: 'system', correlationId: id },
  )

/** Makes a video and waits until its workflow has released the slot. */
async function makeVideo(creator: (typeof creators)[number]): Promise<void> {
  const response = await creator.call('POST', '/videos/generate', GENERATION)
  const { task } = (await response.json()) as { task: { id: string } }
  const released = `select from event where stream = $1 and type = 'RenderSlotReleased' and data->>'taskId' = $2`
  for (;;) {
    const { rowCount } = await pool.query(`${released} /* bench */`, [`renderLane-${creator.userId}`, task.id])
    if (rowCount) return
    await delay(100)
  }
}

function report(name: string, counted: Statements, cpu: NodeJS.CpuUsage): void {
  const own = [...counted].filter(([text]) => !text.startsWith('select from event where stream = $1 and type'))
  const total = own.reduce((sum, [, count]) => sum + count, 0)
  const each = (count: number) => (count / videos).toFixed(1).padStart(7)
  console.log(
    `${name}: ${each(total).trim()} statements and ${((cpu.user + cpu.system) / 1000 / videos).toFixed(1)} ms of CPU in Node for each video`,
  )
  for (const [text, count] of own.toSorted(([, a], [, b]) => b - a).slice(0, SHOWN)) console.log(each(count), text)
}

async function measure(name: string, work: () => Promise<unknown>): Promise<void> {
  statements.take()
  const before = process.cpuUsage()
  await work()
  await changes.waitFor(['videoTasks', 'creditBalances'], await kinora.context.store.head(), 10_000)
  report(name, statements.take(), process.cpuUsage(before))
}

for (const creator of creators) await makeVideo(creator)
await measure('one by one', async () => {
  for (let n = 0; n < videos; n++) await makeVideo(creators[0]!)
})
await measure(`${inFlight} in flight`, async () => {
  let left = videos
  const work = async (creator: (typeof creators)[number]) => {
    while (left-- > 0) await makeVideo(creator)
  }
  await Promise.all(creators.map(work))
})
await kinora.close()
statements.stop()
