import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { eventually } from '#backend/testing/eventually.ts'
import { createProviderDouble } from '../../providers/video/testing/providerDouble.ts'
import { freePort } from '../../testing/freePort.ts'
import { startTemporaryDatabase, type TemporaryDatabase } from '../../testing/temporaryDatabase.ts'
import { startTestKinora, type TestKinora } from '../../testing/testKinora.ts'
import { GENERATION, type TestUser } from '../../testing/testUser.ts'
import { blocked, whileLocked } from '../../testing/whileLocked.ts'
import type { Share, Task } from '../contract.ts'

let db: TemporaryDatabase
let kinora: TestKinora
/** Another process of the same installation. */
let other: TestKinora
/** Base URLs of both processes. */
let urls: readonly string[]
let ada: TestUser
let task: Task
/** Listeners before the renderer of the pages is loaded. */
const listeners = process.listeners('unhandledRejection')

beforeAll(async () => {
  db = await startTemporaryDatabase()
  const ports = [await freePort(), await freePort()]
  urls = ports.map((port) => `http://localhost:${port}`)
  const env = {
    DATABASE_URL: db.url,
    PUBLIC_URL: urls[0]!,
    SESSION_SECRET: 's'.repeat(32),
    DATA_DIR: `${db.postgres.dataDir}-kinora`,
  }
  kinora = await startTestKinora({
    env: { ...env, PORT: String(ports[0]) },
    provider: await createProviderDouble(),
    lockTimeoutMs: 0,
  })
  other = await startTestKinora({ env: { ...env, PORT: String(ports[1]), ROLES: 'api' } })
  ada = await kinora.newUser()
  task = await finished(ada)
})
afterAll(async () => {
  await other?.close({ keep: true })
  await kinora?.close()
  await db?.close()
})

async function finished(user: TestUser): Promise<Task> {
  const { task: made } = (await (await user.call('POST', '/videos/generate', GENERATION)).json()) as { task: Task }
  return eventually(async () => {
    const read = (await (await user.call('GET', `/videos/tasks/${made.id}`)).json()) as Task
    expect(read.status).toBe('Success')
    return read
  })
}

const share = async (of: Task, body: object = {}, user = ada) => {
  const answer = await user.call('POST', `/videos/tasks/${of.id}/share`, body)
  expect(answer.status).toBe(201)
  return (await answer.json()) as Share
}
const pathOf = ({ url }: Share) => new URL(url).pathname
/** Reads a page or file as a link preview does: without cookies. */
const fetchOn = (url: string, path: string, headers: Record<string, string> = {}) =>
  fetch(url + path, { redirect: 'manual', headers })
const open = (path: string, headers?: Record<string, string>) => fetchOn(urls[0]!, path, headers)
const statuses = (path: string) => Promise.all(urls.map(async (url) => (await fetchOn(url, path)).status))

/** Returns the addresses of a page's film and picture as paths. */
async function filesOf(page: string): Promise<{ film: string; poster: string }> {
  const html = await (await open(page)).text()
  const content = (name: string) => {
    const address = new RegExp(`<meta property="${name}" content="([^"]+)"`).exec(html)?.[1] ?? ''
    const { pathname, search } = new URL(address)
    return pathname + search
  }
  return { film: content('og:video'), poster: content('og:image') }
}

describe('what a user attaches to a video while the account is deleted', () => {
  it('is a 401', async () => {
    const user = await kinora.newUser()
    const video = await finished(user)
    const account = ['select from user_account where id = $1 for update', [user.userId]] as const
    const answers = await whileLocked(db.pool, account, async (client) => {
      const share = user.call('POST', `/videos/tasks/${video.id}/share`, {})
      const mark = user.call('POST', '/videos/marks', { ids: [video.id], favourite: true })
      await blocked(db.pool, 2)
      await client.query('delete from user_account where id = $1', [user.userId])
      return [share, mark]
    })
    expect((await Promise.all(answers)).map(({ status }) => status)).toEqual([401, 401])
  })
})

describe('a share', () => {
  it('keeps its address until it ends, and gets another one after', async () => {
    await ada.call('DELETE', `/videos/tasks/${task.id}/share`)
    const first = await share(task)
    expect(first.url).toMatch(/^http:\/\/localhost:\d+\/v\/[\w-]{22}$/)
    expect(first).toMatchObject({ show_prompt: false, show_name: false, views: 0 })
    expect(await share(task, { show_prompt: true })).toEqual({ ...first, show_prompt: true })
    expect(await share(task)).toEqual({ ...first, show_prompt: true })
    const path = `/videos/tasks/${task.id}/share`
    expect(await (await ada.call('GET', path)).json()).toEqual({ share: { ...first, show_prompt: true } })
    expect((await ada.call('DELETE', path)).status).toBe(204)
    expect((await ada.call('DELETE', path)).status).toBe(204)
    expect(await (await ada.call('GET', path)).json()).toEqual({ share: null })
    const second = await share(task)
    expect(second.url).not.toBe(first.url)
    expect(second.show_prompt).toBe(false)
    expect(await statuses(pathOf(first))).toEqual([404, 404])
  })

  it('belongs to the owner of the video', async () => {
    const eve = await kinora.newUser()
    for (const method of ['POST', 'GET', 'DELETE'])
      expect(
        (await eve.call(method, `/videos/tasks/${task.id}/share`, method === 'POST' ? {} : undefined)).status,
      ).toBe(403)
    const { url } = await share(task)
    expect((await share(task)).url).toBe(url)
  })

  it('needs a finished video', async () => {
    const missing = '/videos/tasks/0190a000-0000-7000-8000-000000000000/share'
    expect((await ada.call('POST', missing, {})).status).toBe(404)
  })
})

describe('the page of a shared video', () => {
  it('shows title, picture and film without cookies, in both languages', async () => {
    const page = pathOf(await share(task, { show_prompt: true, show_name: true }))
    for (const [prefix, mark] of [
      ['', 'Drawn by a program'],
      ['/zh', '程序绘制'],
    ]) {
      const answer = await open(prefix + page)
      const html = await answer.text()
      expect([answer.status, answer.headers.getSetCookie()]).toEqual([200, []])
      expect(html).toContain('<title>A cat on a hill at sunset · Kinora</title>')
      for (const part of [
        'by Test User',
        'Test User',
        mark,
        'Kinora demo</li>',
        '<meta name="robots" content="noindex">',
        'twitter:player',
      ])
        if (part !== 'by Test User' || prefix === '') expect(html).toContain(part)
      expect(html).not.toContain(ada.email)
      expect(html).not.toContain('placeholder.kinora.invalid')
      const data = JSON.parse(/<script type="application\/ld\+json">(.*?)<\/script>/s.exec(html)![1]!)
      const digitalSourceType = 'https://schema.org/AlgorithmicMediaDigitalSource'
      expect(data).toMatchObject({ '@type': 'VideoObject', name: 'A cat on a hill at sunset', digitalSourceType })
    }
    const { film, poster } = await filesOf(page)
    const picture = await open(poster)
    expect([picture.status, picture.headers.get('content-type')]).toEqual([200, 'image/jpeg'])
    const part = await open(film, { range: 'bytes=4-7' })
    expect([part.status, await part.text()]).toEqual([206, 'ftyp'])
  })

  it('is found with a slash at its end and in capitals, and is a 404 at any other address', async () => {
    const id = pathOf(await share(task))
      .split('/')
      .at(-1)
    for (const path of [`/v/${id}/`, `/V/${id}`, `/zh/v/${id}/`, `/v/${id}/embed/`])
      expect([path, (await open(path)).status]).toEqual([path, 200])
    for (const path of ['/v/index.html', '/v/gone/', '/v/..%2fx', '/V/gone/embed'])
      expect([path, (await open(path)).status]).toEqual([path, 404])
  })

  it('shows neither prompt nor name unless the owner chooses to', async () => {
    const page = pathOf(await share(task, { show_prompt: false, show_name: false }))
    const html = await (await open(page)).text()
    expect(html).toContain('<title>A film made with Kinora · Kinora</title>')
    expect(html).not.toContain('cat on a hill')
    expect(html).not.toContain('Test User')
  })

  it('shows no name that is a mail address', async () => {
    const own = await kinora.newUser()
    expect((await own.call('PUT', '/users/name', { username: 'ada@kinora.test' })).status).toBe(200)
    const page = pathOf(await share(await finished(own), { show_name: true }, own))
    expect(await (await open(page)).text()).not.toContain('ada@')
  })

  it('is revalidated by browsers and not kept by shared caches, and so are its files', async () => {
    const page = pathOf(await share(task))
    const { film, poster } = await filesOf(page)
    for (const path of [page, `${page}/embed`, film, poster])
      expect((await open(path)).headers.get('cache-control')).toBe('private, no-cache')
    // Link previews that obey the file fetch the page and its picture.
    expect(await (await open('/robots.txt')).text()).not.toContain('/v/')
  })

  it('is rendered by a process that unhandled rejections still end', () =>
    expect(process.listeners('unhandledRejection')).toEqual(listeners))

  it('escapes a hostile prompt', async () => {
    const own = await kinora.newUser()
    const prompt = `</script><script>alert(1)</script>"><img src=x> <!--if a=b--> &lt;!--if a=b--&gt; \\u003c!--if a=b-->`
    const made = await own.call('POST', '/videos/generate', { ...GENERATION, prompt })
    const { task: hostile } = (await made.json()) as { task: Task }
    await eventually(async () => {
      const read = (await (await own.call('GET', `/videos/tasks/${hostile.id}`)).json()) as Task
      expect(read.status).toBe('Success')
    })
    const page = pathOf(await share(hostile, { show_prompt: true }, own))
    for (const path of [page, `${page}/embed`]) {
      // Markup is harmless in the value of an attribute.
      const html = (await (await open(path)).text()).replaceAll(/="[^"]*"/g, '')
      expect(html).not.toContain('<script>alert')
      expect(html).not.toContain('<img src=x')
      // Markers of parts that apply to some installations would remove the rest of the page.
      expect(html).toContain('Drawn by a program')
      expect(html).toMatch(/<\/html>\s*$/)
    }
  })

  it('is the only one that others may frame, as its player', async () => {
    const page = pathOf(await share(task))
    const framing = async (path: string) => {
      const { headers } = await open(path)
      return [
        headers.get('x-frame-options'),
        /frame-ancestors ([^;]+)/.exec(headers.get('content-security-policy')!)![1],
      ]
    }
    expect(await framing(`${page}/embed`)).toEqual([null, '*'])
    expect(await framing(page)).toEqual(['DENY', "'none'"])
    const policy = (await open(page)).headers.get('content-security-policy')!
    expect(policy).not.toContain('unsafe')
    expect(policy.length).toBeLessThan(2_000)
  })

  it('is described by oEmbed', async () => {
    const { url } = await share(task, { show_prompt: true })
    const answer = await open(`/oembed?maxwidth=64&url=${encodeURIComponent(url)}`)
    expect(await answer.json()).toMatchObject({
      ...{ version: '1.0', type: 'video', title: 'A cat on a hill at sunset', width: 64, height: 36 },
      html: expect.stringContaining(`src="${url}/embed"`),
    })
    for (const [query, status] of [
      [`url=${encodeURIComponent('http://elsewhere.test/v/aaaaaaaaaaaaaaaaaaaaaa')}`, 404],
      ['url=nonsense', 404],
      [`format=xml&url=${encodeURIComponent(url)}`, 501],
    ] as const)
      expect((await open(`/oembed?${query}`)).status).toBe(status)
  })

  it('counts a view once per network address', async () => {
    const { url } = await share(task)
    const id = url.split('/').at(-1)
    const view = () => kinora.post(`/shares/${id}/views`, {}).then(({ status }) => status)
    expect([await view(), await view()]).toEqual([204, 204])
    expect((await share(task)).views).toBe(1)
    expect((await kinora.post('/shares/unknown/views', {})).status).toBe(404)
  })
})

describe('the files of a shared video', () => {
  it('need a signed address', async () => {
    const { film, poster } = await filesOf(pathOf(await share(task)))
    for (const path of [film, poster]) {
      expect(await statuses(path)).toEqual([200, 200])
      expect(await statuses(path.replace(/=.*/, '='))).toEqual([404, 404])
      expect(await statuses(path.replace(/=.*/, `=${'A'.repeat(22)}`))).toEqual([404, 404])
    }
  })
})

describe('on every process, page and files end immediately', () => {
  const ends = async (page: string, end: () => Promise<unknown>) => {
    const { film, poster } = await filesOf(page)
    const paths = [page, `/zh${page}`, `${page}/embed`, film, poster]
    for (const path of paths) expect(await statuses(path)).toEqual([200, 200])
    await end()
    for (const path of paths) expect(await statuses(path)).toEqual([404, 404])
  }

  it('when the owner ends the share', async () => {
    const page = pathOf(await share(task))
    await ends(page, () => ada.call('DELETE', `/videos/tasks/${task.id}/share`))
    const gone = await open(page)
    expect([gone.status, await gone.text()]).toEqual([404, expect.stringContaining('This film is not shared')])
  })

  it('when the owner deletes the video', async () => {
    const own = await kinora.newUser()
    const made = await finished(own)
    const page = pathOf(await share(made, {}, own))
    await ends(page, () => own.call('DELETE', `/videos/tasks/${made.id}`))
  })

  it('when the owner deletes the account', async () => {
    const own = await kinora.newUser()
    const page = pathOf(await share(await finished(own), {}, own))
    await ends(page, () => own.call('POST', '/users/delete', { password: 'correct horse' }))
  })
})
