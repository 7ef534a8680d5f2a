import { createHash } from 'node:crypto'
import { globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { eventually } from '#backend/testing/eventually.ts'
import { generate, reaches } from '#workflows/testing/userTasks.ts'
import { runFfmpeg } from '../../kernel/media/ffmpeg.ts'
import { makePoster } from '../../kernel/media/poster.ts'
import { meanDifference, pixelsOf } from '../../kernel/media/testing/stills.ts'
import { createProviderDouble } from '../../providers/video/testing/providerDouble.ts'
import { allowanceOf, TIERS, type Tier } from '../../subscriptions/plans.contract.ts'
import { buyPlan } from '../../testing/plans.ts'
import { startTestKinora, type TestKinora } from '../../testing/testKinora.ts'
import type { TestUser } from '../../testing/testUser.ts'
import type { Share } from '../contract.ts'
import { sharePages } from '../shares/sharePages.ts'

type Caller = (path: string, init?: RequestInit) => Promise<Response>
type Film = Readonly<{ id: string; page: string; image: string }>
/** Files that a caller gets, or the status of a refusal. */
type Found = readonly Buffer[] | number
type Road = (open: Caller, film: Film) => Promise<Found>

const WIDTH = 640
const HEIGHT = 360

const bytesOf = async (answer: Response) => Buffer.from(await answer.arrayBuffer())
const file = async (answer: Response): Promise<Found> => (answer.ok ? [await bytesOf(answer)] : answer.status)
const api = (address: (film: Film) => string): Road => {
  return async (open, film) => file(await open(`/api/v1${address(film)}`))
}

const inRanges: Road = async (open, { id }) => {
  const part = (range: string) => open(`/api/v1/videos/preview/${id}`, { headers: { range } })
  const [first, rest] = [await part('bytes=0-999'), await part('bytes=1000-')]
  return first.ok ? [Buffer.concat([await bytesOf(first), await bytesOf(rest)])] : first.status
}
const zipped: Road = async (open, { id }) => {
  const answer = await open(`/api/v1/videos/archive?ids=${id}`)
  if (!answer.ok) return answer.status
  const zip = await bytesOf(answer)
  const start = 30 + zip.readUInt16LE(26) + zip.readUInt16LE(28)
  // The files are stored without compression, and followed by their sizes (APPNOTE 4.3.9).
  return [zip.subarray(start, zip.indexOf('PK\x07\x08', start))]
}
const lastFrame: Road = async (open, { id }) => {
  const answer = await open(`/api/v1/videos/tasks/${id}/last-frame`, { method: 'POST' })
  if (!answer.ok) return answer.status
  return file(await open(((await answer.json()) as { image_url: string }).image_url))
}
/** Opens every file of a share that a page or answer names. */
const linked =
  (address: (film: Film) => string): Road =>
  async (open, film) => {
    const answer = await open(address(film))
    const names = (await answer.text()).match(/\/v\/[\w-]{22}\/(film\.mp4|poster\.jpg)\?signature=[\w-]+/g) ?? []
    const files = [...new Set(names)].map(async (name) => bytesOf(await open(name)))
    return Promise.all(files)
  }
const onPage = (name: string): Road => {
  return async (open, film) => {
    const page = await (await open(film.page)).text()
    return file(await open(new RegExp(`/v/[\\w-]{22}/${name}\\?signature=[\\w-]+`).exec(page)![0]))
  }
}

/** Roads to the files of a finished video that only its owner may take, by their operation. */
const OWN: Readonly<Record<string, readonly Road[]>> = {
  'GET /videos/preview/{id}': [api(({ id }) => `/videos/preview/${id}`), inRanges],
  'GET /videos/thumbnail/{id}': [api(({ id }) => `/videos/thumbnail/${id}`)],
  'GET /videos/images/{id}': [async (open, { image }) => file(await open(image))],
  'GET /videos/download/{id}': ['', '?watermark=false', '?label=false'].map((query) =>
    api(({ id }) => `/videos/download/${id}${query}`),
  ),
  'GET /videos/archive': [zipped],
  'POST /videos/tasks/{id}/last-frame': [lastFrame],
  'GET /v1/videos/{id}/content': ['', '?variant=thumbnail'].map((query) => {
    const content: Road = async (open, { id }) => file(await open(`/v1/videos/${id}/content${query}`))
    // A program is not told that a video of another user exists.
    return async (open, film) => {
      const found = await content(open, film)
      return found === 404 ? 403 : found
    }
  }),
}
/** Roads that everyone may take once the owner has shared the video, by their route. */
const SHARED: Readonly<Record<string, Road>> = {
  '/v/:id': linked(({ page }) => page),
  '/v/:id/embed': linked(({ page }) => `${page}/embed`),
  '/zh/v/:id': linked(({ page }) => `/zh${page}`),
  '/zh/v/:id/embed': linked(({ page }) => `/zh${page}/embed`),
  '/v/:id/film.mp4': onPage('film\\.mp4'),
  '/v/:id/poster.jpg': onPage('poster\\.jpg'),
  '/oembed': linked(({ page }) => `/oembed?url=${encodeURIComponent(kinora.url + page)}`),
}
/** Operations that answer with files of other kinds: a render that has not ended, and tables. */
const OTHER_FILES = [
  ...['GET /videos/tasks/{id}/frame', 'GET /credits/history.csv', 'GET /analytics/tables/{table}'],
  'GET /subscriptions/invoices/{id}.pdf',
  // A test render of the operator, which has no owner.
  'GET /analytics/graphs/test/{id}/picture',
  'GET /analytics/engines/test/{id}/clip',
  // Evidence of what was delivered, and clips that are shipped or the operator's.
  'GET /desk/cases/{id}/dossier.pdf',
  'GET /videos/templates/{id}/clip',
  // The still of a video, which the operator sees on the page of its owner.
  'GET /desk/videos/{id}/poster',
  // The picture on the button of a service to sign in with.
  'GET /auth/providers/{provider}/logo',
]
/** Fields of answers about videos that lead to the roads above, or to pictures of the user. */
const ADDRESSES = [
  ...['video_url', 'thumbnail_url', 'live_frame_url', 'url', 'image_url'],
  ...['first_frame_image_url', 'last_frame_image_url', 'reference_image_urls'],
]
/** Modules that may name the files of videos: those that store, check or copy them, and the door. */
const KEEPERS = [
  'backend/backups/recovery/compareRestored.ts',
  'backend/programs/ledger/hashStoredVideo.ts',
  // Joins films of one owner to another one, which the door serves.
  'backend/providers/video/join/joinProvider.ts',
  'backend/tasks/downloads/videoCopies.ts',
  'backend/tasks/downloads/visibleCopies.ts',
  // Takes the last frame, of which the door shows a copy.
  'backend/tasks/mediaRoutes.ts',
  'workflows/tasks/fetchVideo.ts',
]
const KEY_IMPORT = /import \{[^}]*\b(video|poster|watermarked|labelled|labelledAndWatermarked)Key\b[^}]*\} from/

let folder: string
let kinora: TestKinora
let stranger: TestUser

beforeAll(async () => {
  folder = mkdtempSync(path.join(os.tmpdir(), 'kinora-roads-'))
  const made = path.join(folder, 'made.mp4')
  const grey = ['-f', 'lavfi', '-i', `color=c=gray:duration=1:size=${WIDTH}x${HEIGHT}:rate=24`, '-pix_fmt', 'yuv420p']
  await runFfmpeg([...grey, '-f', 'mp4', made])
  const double = await createProviderDouble()
  const fetchFilm = async (_: string, target: string) => writeFileSync(target, readFileSync(made))
  kinora = await startTestKinora({ provider: { ...double, fetch: fetchFilm } })
  stranger = await kinora.newUser()
})
afterAll(async () => {
  await kinora?.close()
  rmSync(folder, { recursive: true, force: true })
})

const caller = (user?: TestUser): Caller => {
  const cookie = user ? { cookie: user.cookie } : undefined
  return async (address, init = {}) => {
    const isProgram = address.startsWith('/v1/')
    const headers = {
      ...init.headers,
      ...(isProgram && user ? { authorization: `Bearer ${await keyOf(user)}` } : cookie),
    }
    return fetch(new URL(address, kinora.url), { ...init, headers })
  }
}

const keys = new Map<TestUser, Promise<{ key: string }>>()
async function keyOf(user: TestUser): Promise<string> {
  const order = { name: 'Roads', scopes: ['videos:read' as const], expires_in_days: null }
  const made = keys.get(user) ?? kinora.services.apiKeys.create(user.userId, order)
  keys.set(user, made)
  return (await made).key
}

async function subscribe(user: TestUser, tier: Tier): Promise<void> {
  await buyPlan(kinora, user, tier)
  await eventually(async () => expect(await kinora.services.allowance(user.userId)).toEqual(allowanceOf(tier)))
}

async function make(user: TestUser): Promise<string> {
  const { id } = await generate(user)
  await reaches(user, id, { status: 'Success' })
  return id
}

/** Shares a video and takes its last frame. */
async function open(user: TestUser, id: string): Promise<Film> {
  const { url } = (await (await user.call('POST', `/videos/tasks/${id}/share`, {})).json()) as Share
  const frame = await user.call('POST', `/videos/tasks/${id}/last-frame`)
  return { id, page: new URL(url).pathname, image: ((await frame.json()) as { image_url: string }).image_url }
}

const judged = new Map<string, Promise<boolean>>()

/** Returns whether a watermark is in the lower right corner of a grey video or picture. The rest must be grey. */
function isMarked(content: Buffer): Promise<boolean> {
  const hash = createHash('sha256').update(content).digest('hex')
  const judging = judged.get(hash) ?? judge(content)
  judged.set(hash, judging)
  return judging
}

async function judge(content: Buffer): Promise<boolean> {
  const isJpeg = content[0] === 0xff
  const [film, still] = [path.join(folder, 'opened.mp4'), path.join(folder, 'opened.jpg')]
  writeFileSync(isJpeg ? still : film, content)
  if (!isJpeg) await makePoster(film, still, { at: 0.5, width: WIDTH })
  const picture = await pixelsOf(still)
  const grey = { width: WIDTH, height: HEIGHT, data: picture.data.map(() => picture.data[0]!) }
  expect([picture.width, picture.height]).toEqual([WIDTH, HEIGHT])
  expect(meanDifference(picture, grey, [0, 0, 400, 300])).toBeLessThan(2)
  return meanDifference(picture, grey, [540, 330, 80, 20]) > 10
}

/** Takes every road. Returns what each led to: `marked`, `original`, or the status of a refusal. */
async function takeAll(roads: Readonly<Record<string, readonly Road[]>>, open: Caller, film: Film) {
  const found: Record<string, (string | number)[]> = {}
  for (const [name, ways] of Object.entries(roads)) {
    found[name] = []
    for (const way of ways) {
      const files = await way(open, film)
      if (typeof files === 'number') found[name].push(files)
      else for (const content of files) found[name].push((await isMarked(content)) ? 'marked' : 'original')
    }
    found[name] = [...new Set(found[name])]
  }
  return found
}
const all = (roads: object, outcome: string | number) =>
  Object.fromEntries(Object.keys(roads).map((name) => [name, [outcome]]))
const shared = Object.fromEntries(Object.entries(SHARED).map(([name, road]) => [name, [road]]))

async function expectOnAllRoads(owner: TestUser, film: Film, outcome: 'marked' | 'original') {
  expect(await takeAll(OWN, caller(owner), film)).toEqual(all(OWN, outcome))
  expect(await takeAll(OWN, caller(stranger), film)).toEqual(all(OWN, 403))
  expect(await takeAll(OWN, caller(), film)).toEqual(all(OWN, 401))
  for (const by of [owner, stranger, undefined])
    expect(await takeAll(shared, caller(by), film)).toEqual(all(SHARED, outcome))
}

describe('a finished video', () => {
  it.each(TIERS)('is seen on every road as the plan %s has it, by its owner only', async (tier) => {
    const owner = await kinora.newUser()
    if (tier !== 'free') await subscribe(owner, tier)
    const film = await open(owner, await make(owner))
    await expectOnAllRoads(owner, film, allowanceOf(tier).watermark ? 'marked' : 'original')
  })

  it('is seen without a watermark on every road after an upgrade', async () => {
    const owner = await kinora.newUser()
    const film = await open(owner, await make(owner))
    await subscribe(owner, 'standard')
    await expectOnAllRoads(owner, film, 'original')
  })

  it('has its marked copies before it is first opened, and gets missing ones when it is', async () => {
    const owner = await kinora.newUser()
    const id = await make(owner)
    const copies = [`watermarked/${id}.mp4`, `watermarked/${id}.jpg`]
    const { media } = kinora.context
    const sizes = () => Promise.all(copies.map((key) => media.size(key)))
    expect(await sizes()).toEqual([expect.any(Number), expect.any(Number)])
    for (const key of copies) await media.remove(key)
    await expectOnAllRoads(owner, await open(owner, id), 'marked')
    expect(await sizes()).toEqual([expect.any(Number), expect.any(Number)])
  })

  it('answers HEAD with the length of the marked copy', async () => {
    const owner = await kinora.newUser()
    const { id, page } = await open(owner, await make(owner))
    const size = String(await kinora.context.media.size(`watermarked/${id}.mp4`))
    const film = /\/v\/[\w-]{22}\/film\.mp4\?signature=[\w-]+/.exec(await (await caller()(page)).text())![0]
    for (const address of [`/api/v1/videos/preview/${id}`, film])
      expect((await caller(owner)(address, { method: 'HEAD' })).headers.get('content-length')).toBe(size)
  })
})

describe('every road to the files of a video', () => {
  type Schema = Readonly<Record<string, unknown>>
  const described = async () => {
    const { paths } = (await (await fetch(`${kinora.api}/openapi.json`)).json()) as {
      paths: Record<string, Record<string, { responses: Record<string, { content?: Schema }> }>>
    }
    return Object.entries(paths).flatMap(([address, methods]) =>
      Object.entries(methods).map(([method, { responses }]) => {
        const contents = Object.entries(responses).flatMap(([status, { content }]) =>
          status < '3' ? [content ?? {}] : [],
        )
        return { name: `${method.toUpperCase()} ${address}`, contents }
      }),
    )
  }

  it('of the API is in the matrix', async () => {
    const files = (await described()).filter(({ contents }) =>
      contents.flatMap((content) => Object.keys(content)).some((type) => type !== 'application/json'),
    )
    const known = [...Object.keys(OWN), ...OTHER_FILES].filter((name) => name.startsWith('GET'))
    expect(files.map(({ name }) => name).toSorted()).toEqual(known.toSorted())
  })

  it('is named in fields that the matrix follows', async () => {
    const answers = (await described()).filter(({ name }) => / \/(videos|shares)\//.test(name))
    const fields = JSON.stringify(answers.map(({ contents }) => contents)).match(/"\w*urls?"(?=:)/g) ?? []
    expect([...new Set(fields)].toSorted()).toEqual(ADDRESSES.map((field) => `"${field}"`).toSorted())
  })

  it('of shares is in the matrix', () => {
    const { stack } = sharePages({} as never)
    expect(stack.map((layer) => layer.path).toSorted()).toEqual(Object.keys(SHARED).toSorted())
  })

  it('leads through one door', () => {
    const root = path.join(import.meta.dirname, '../../..')
    const modules = globSync('{backend,projections,workflows}/**/!(*.spec).ts', { cwd: root })
    const naming = modules.filter((name) => KEY_IMPORT.test(readFileSync(path.join(root, name), 'utf8')))
    expect(naming.filter((name) => !name.includes('/testing/')).toSorted()).toEqual(KEEPERS)
  })
})
