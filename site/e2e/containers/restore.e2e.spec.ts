import { execFileSync } from 'node:child_process'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { seenTask, submit, untilEnded } from '#backend/testing/creator.ts'
import { FULL } from '#backend/testing/fullRun.ts'
import { registerUser, type TestUser } from '#backend/testing/testUser.ts'
import { composeProject, lackingForCompose } from '../testing/composeProject.ts'

const PORT = 3498
const lacks = FULL ? lackingForCompose('small') : 'npm run test:full'

describe.skipIf(lacks)(`the small level of Compose on a new machine${lacks && ` (needs ${lacks})`}`, () => {
  const project = composeProject('small', PORT, { BACKUP_TO: '/backups' })
  let user: TestUser
  let videoId: string
  beforeAll(async () => {
    await project.start()
    user = await registerUser(project.url)
    videoId = await submit(user, 'A lighthouse')
    expect(await untilEnded(user, videoId)).toMatchObject({ status: 'Success' })
  }, 1_800_000)
  afterAll(() => project.remove(), 600_000)

  /** Removes everything but the backups. */
  const loseMachine = () => {
    project.compose('down')
    const volume = (name: string) => `${project.environment.COMPOSE_PROJECT_NAME}_${name}`
    execFileSync('docker', ['volume', 'rm', volume('data'), volume('database')], { stdio: 'pipe' })
  }
  const expectAll = async () => {
    await project.start()
    expect(await seenTask(user, videoId)).toMatchObject({ status: 'Success' })
    expect((await user.call('GET', `/videos/preview/${videoId}`)).status).toBe(200)
  }

  it('comes back from a nightly copy with the recovery phrase', { timeout: 600_000 }, async () => {
    const { output } = project.ops('recovery-phrase')
    const phrase = /(?:^(?:[a-z]+ ){5}[a-z]+\n){4}/m.exec(output)![0]
    const logged = () => project.compose('logs', 'kinora')
    await expect.poll(logged, { timeout: 600_000, interval: 2_000 }).toContain('backup proven restorable')
    loseMachine()
    const restored = project.ops('restore --from /backups --here', phrase)
    expect(restored, restored.output).toMatchObject({ status: 0 })
    await expectAll()
  })

  it('comes back from a backup that the ops service made', { timeout: 600_000 }, async () => {
    expect(project.ops('backup --out /backups/2026-01-31 --with-secrets')).toMatchObject({ status: 0 })
    loseMachine()
    const restored = project.ops('restore --from /backups/2026-01-31 --here')
    expect(restored, restored.output).toMatchObject({ status: 0 })
    await expectAll()
  })
})
