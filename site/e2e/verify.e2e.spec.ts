import { mkdtempSync, rmSync, truncateSync, writeFileSync } from 'node:fs'
import { copyFile, readFile, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import type { Page } from 'playwright'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { createMarker } from '#backend/kernel/media/marks/createMarker.ts'
import { parseCredential } from '#backend/kernel/media/marks/credential.ts'
import { issueCredential } from '#backend/kernel/media/marks/issueCredential.ts'
import type { ReceiptAssertion } from '#backend/kernel/media/marks/manifest.ts'
import { createSigner } from '#backend/kernel/media/marks/signInThread.ts'
import { FULL } from '#backend/testing/fullRun.ts'
import { sampled } from '#backend/testing/sampled.ts'
import type { TestUser } from '#backend/testing/testUser.ts'
import { makeTinyVideo } from '#backend/testing/tinyVideo.ts'
import { axeFaults } from './testing/axeFaults.ts'
import { languagesInTurn } from './testing/languagesInTurn.ts'
import { makeFilm } from './testing/makeFilm.ts'
import { describeOnSite } from './testing/onSite.ts'
import { weigh } from './testing/weigh.ts'

const folder = mkdtempSync(path.join(tmpdir(), 'kinora-verify-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))
const inFolder = (name: string) => path.join(folder, name)

/** What a stranger's manifest may say. */
const EVIL = '<img src=x onerror="document.title=1">'

/** Makes a film of another signer that claims a charge of this installation, with hostile texts. */
async function makeForeign(installation: string): Promise<string> {
  const { certificates, key } = await issueCredential(Date.now())
  const signer = createSigner(async () => parseCredential(certificates, key))
  const file = inFolder('foreign.mp4')
  await copyFile(await makeTinyVideo(), file)
  const receipt: ReceiptAssertion = {
    ...{ version: 1, installation, task: EVIL, model: EVIL, engine: EVIL, engine_model: EVIL, credits: 30, head: null },
    hold: { event: 'ab'.repeat(32), position: EVIL },
  }
  const marker = createMarker(signer, EVIL, undefined, { warn: () => {} })
  await marker.markVideo(file, { taskId: EVIL, origin: { source: 'algorithmicMedia', agent: EVIL }, receipt })
  await signer.close()
  return file
}

describeOnSite('the page that verifies films', (site) => {
  let user: TestUser
  let filmId: string
  let film: string
  let poster: string
  let changed: string

  beforeAll(async () => {
    user = await site.newUser()
    const task = await makeFilm(user)
    filmId = task.id
    const get = async (address: string) => {
      const answer = await fetch(site.url + address, { headers: { cookie: user.cookie } })
      return Buffer.from(await answer.arrayBuffer())
    }
    const content = await get(`/api/v1/videos/download/${task.id}`)
    film = inFolder('film.mp4')
    await writeFile(film, content)
    poster = inFolder('poster.jpg')
    await writeFile(poster, await get(task.thumbnail_url!))
    changed = inFolder('changed.mp4')
    content.writeUInt8(content.at(-40)! ^ 1, content.length - 40)
    await writeFile(changed, content)
  })

  const open = async (language: 'en' | 'zh', width = 1280) => {
    const page = await site.visit({ language, width })
    const faults: string[] = []
    page.on('pageerror', ({ message }) => faults.push(message))
    page.on('console', (message) => message.type() === 'error' && faults.push(message.text()))
    await page.goto(`${site.url}${language === 'zh' ? '/zh' : ''}/verify`)
    return { page, faults }
  }
  const check = async (page: Page, file: string) => {
    await page.locator('#verify-file').setInputFiles(file)
    await page.locator('.verify-name', { hasText: path.basename(file) }).waitFor()
    return page.locator('.verify-result')
  }

  it.each(
    sampled([
      ['en', 1280, 'Made here, and unchanged', '30 credits held'],
      ['zh', 390, '出自本站，未被改动', '占用 30 积分'],
    ] as const),
  )('shows the receipt of a film of this installation (%s)', async (language, width, state, held) => {
    const { page, faults } = await open(language, width)
    const result = await check(page, film)
    await result.getByText(state).waitFor()
    await result.getByText(held).waitFor()
    expect(await axeFaults(page)).toEqual([])
    await (await check(page, poster)).getByText(held).waitFor()
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(width)
    expect(faults).toEqual([])
    await page.context().close()
  })

  it.each(
    sampled([
      ['en', 1280],
      ['zh', 1280],
      ['zh', 390],
    ] as const),
  )('weighs at most 40 kB before the first file (%s, %i px)', async (language, width) => {
    const page = await site.visit({ language, width })
    const { all } = await weigh(page, `${site.url}${language === 'zh' ? '/zh' : ''}/verify`)
    console.log(`The page that verifies films weighs ${Math.round(all / 1000)} kB (${language}, ${width} px).`)
    expect(all).toBeLessThanOrEqual(40_000)
    await page.context().close()
  })

  it.each(languagesInTurn())('works after a reload without a connection (%s)', async (language) => {
    const { page } = await open(language)
    await check(page, film)
    await expect.poll(() => page.evaluate(() => Boolean(navigator.serviceWorker.controller))).toBe(true)
    await page.context().setOffline(true)
    await page.reload()
    const result = await check(page, poster)
    await expect.poll(() => result.getAttribute('data-state')).toBe('own')
    await page.locator('[data-fault=offline]').waitFor()
    const other = await check(page, changed)
    await expect.poll(() => other.getAttribute('data-state')).toBe('changed')
    await page.context().close()
  })

  it('loads the reader with the first file, and works without a connection from then on', async () => {
    const { page } = await open('en')
    const asked: string[] = []
    page.on('request', (request) => asked.push(new URL(request.url()).pathname))
    const readers: number[] = []
    page.on('requestfinished', async (request) => {
      if (request.url().endsWith('.wasm')) readers.push((await request.sizes()).responseBodySize)
    })
    await check(page, film)
    // The page stores the reader from the browser's cache.
    await expect.poll(() => page.evaluate(() => Boolean(navigator.serviceWorker.controller))).toBe(true)
    expect(readers.filter((bytes) => bytes > 0)).toHaveLength(1)
    // Nothing of the file leaves the browser: the calls name the task and its hold.
    expect(
      asked
        .filter((address) => address.startsWith('/api/'))
        .every((address) => /receipts|consistency|analytics/.test(address)),
    ).toBe(true)
    await page.context().setOffline(true)
    const result = await check(page, changed)
    await result.getByText('Changed after it was signed').waitFor()
    const offline = await check(page, film)
    await offline.getByText('The ledger cannot be reached.').waitFor()
    await page.context().close()
  })

  it('names a changed file, a foreign signer, and a file without a manifest', async () => {
    const { page, faults } = await open('en')
    await (await check(page, changed))
      .getByText('The picture, the sound or the index of the file was changed')
      .waitFor()
    const foreign = await check(page, await makeForeign(site.url))
    await foreign.getByText('Signed by someone else').waitFor()
    await foreign.getByText(`names a charge at ${site.url}, but was not signed by this installation`).waitFor()
    expect([await foreign.locator('img').count(), await page.title()]).toEqual([0, 'Verify a film · Kinora'])
    const bare = inFolder('bare.mp4')
    await copyFile(await makeTinyVideo(), bare)
    await (await check(page, bare)).getByText('That proves nothing').waitFor()
    expect(faults).toEqual([])
    await page.context().close()
  })

  it('names a receipt of another film, a forged one, and a ledger whose past was rewritten', async () => {
    const { page } = await open('en')
    const receiptOf = async (id: string) => (await user.call('GET', `/credits/receipts/${id}`)).json()
    const [own, foreign] = [await receiptOf(filmId), await receiptOf((await makeFilm(user)).id)]
    const answerWith = async (document: object) => {
      await page.unroute('**/api/v1/receipts/**')
      await page.route('**/api/v1/receipts/**', (route) => route.fulfill({ json: document }))
    }
    const fault = async () => (await check(page, film)).locator('.verify-fault').getAttribute('data-fault')
    await answerWith(foreign)
    expect(await fault()).toBe('otherFilm')
    await answerWith({ ...own, receipt: { ...own.receipt, credits: 3 } })
    expect(await fault()).toBe('forged')
    await page.unroute('**/api/v1/receipts/**')
    const seen = JSON.stringify({ size: 1_000_000, root: 'ab'.repeat(32) })
    await page.evaluate((text) => localStorage.setItem('kinora-ledger', text), seen)
    expect(await fault()).toBe('rewritten')
    await page.context().close()
  })

  it('survives hostile files, and reads the next one', async () => {
    const { page } = await open('en')
    const head = (await readFile(film)).subarray(0, 32)
    const endless = Buffer.concat([head, Buffer.from('0000000175756964ffffffffffffffff', 'hex')])
    const nested = Buffer.concat([
      head,
      ...Array.from({ length: FULL ? 50_000 : 10_000 }, () => Buffer.from('000000086d6f6f76', 'hex')),
    ])
    for (const [name, content] of Object.entries({ 'endless.mp4': endless, 'nested.mp4': nested })) {
      writeFileSync(inFolder(name), content)
      await check(page, inFolder(name))
    }
    const large = inFolder('large.mp4')
    await copyFile(film, large)
    // A sparse file.
    truncateSync(large, FULL ? 2 ** 31 + 10 : 2 ** 23)
    await check(page, large)
    await page.locator('[data-state=changed], [data-state=unreadable]').waitFor()
    await (await check(page, film)).getByText('Made here, and unchanged').waitFor()
    await page.context().close()
  })
})
