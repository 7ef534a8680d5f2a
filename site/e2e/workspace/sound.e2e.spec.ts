import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import { afterAll, expect, it } from 'vitest'
import { h264Arguments, runFfmpeg } from '#backend/kernel/media/ffmpeg.ts'
import { hasSound } from '#backend/kernel/media/probeMp4.ts'
import { startVideosApiDouble } from '#backend/providers/video/videosApi/testing/videosApiDouble.ts'
import type { Task } from '#backend/tasks/contract.ts'
import { eventually } from '#backend/testing/eventually.ts'
import type { TestUser } from '#backend/testing/testUser.ts'
import { describeInBrowser, ENTRY, startAlone } from '../testing/onSite.ts'
import { words } from '../testing/walkJourney.ts'

const folder = await mkdtemp(path.join(os.tmpdir(), 'kinora-sound-'))
afterAll(() => rm(folder, { recursive: true, force: true }))

/** Starts Kinora with an engine whose films have a tone. */
async function startWithSound() {
  const film = path.join(folder, 'tone.mp4')
  const picture = ['-f', 'lavfi', '-i', 'testsrc=duration=2:size=320x180:rate=24']
  const tone = ['-f', 'lavfi', '-i', 'sine=frequency=440:duration=2', '-c:a', 'aac']
  await runFfmpeg([...picture, ...tone, ...h264Arguments({ fps: 24 }), film])
  const engine = await startVideosApiDouble({ film })
  const site = await startAlone({ VIDEOS_API_URL: engine.url }, ENTRY)
  const close = async () => {
    await site.close()
    await engine.close()
  }
  return { url: site.url, close }
}

describeInBrowser('the sound of a film', startWithSound, (site) => {
  const finished = (user: TestUser, id: string) =>
    eventually(async () => {
      const task = (await (await user.call('GET', `/videos/tasks/${id}`)).json()) as Task
      expect(task).toMatchObject({ status: 'Success' })
      return task
    })
  /** Makes a film. @returns its id */
  async function make(user: TestUser): Promise<string> {
    const [model] = (await (await user.call('GET', '/videos/models')).json()) as {
      name: string
      costs: { resolution: string; duration: number }[]
    }[]
    const { resolution, duration } = model!.costs[0]!
    const order = { task_type: 'text_to_video', prompt: 'A bell', model: model!.name, resolution, duration }
    const { task } = (await (await user.call('POST', '/videos/generate', order)).json()) as { task: Task }
    await finished(user, task.id)
    return task.id
  }
  async function isHeard(user: TestUser, address: string): Promise<boolean> {
    const answer = await user.call('GET', address)
    expect(answer.status).toBe(200)
    const file = path.join(folder, 'stored.mp4')
    await writeFile(file, Buffer.from(await answer.arrayBuffer()))
    return hasSound(file)
  }

  it('is kept in the stored film, its download and a join, and can be muted', async () => {
    const user = await site.newUser()
    const [one, two] = [await make(user), await make(user)]
    for (const way of ['preview', 'download']) expect(await isHeard(user, `/videos/${way}/${one}`)).toBe(true)
    const clips = [{ id: one }, { id: two }]
    const joined = await user.call('POST', '/videos/join', { clips, fade: 0.5, title: 'Bells' })
    const { task } = (await joined.json()) as { task: Task }
    await finished(user, task.id)
    expect(await isHeard(user, `/videos/preview/${task.id}`)).toBe(true)

    const { player } = await words('en', 'common')
    const page = await site.visit({ language: 'en', user })
    await page.goto(`${site.url}/workspace`)
    const sound = page
      .getByRole('group', { name: player.label, exact: true })
      .getByRole('button', { name: player.sound })
    const isMuted = () => page.locator('video#film').evaluate((film: HTMLVideoElement) => film.muted)
    for (const on of [true, false]) {
      await sound.click()
      await expect.poll(() => sound.getAttribute('aria-pressed')).toBe(String(on))
      expect(await isMuted()).toBe(!on)
    }
    await page.context().close()
  })
})
