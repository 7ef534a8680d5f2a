import { copyFile, mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import type { Browser } from 'playwright'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createMarker, type Marker } from '#backend/kernel/media/marks/createMarker.ts'
import { parseCredential } from '#backend/kernel/media/marks/credential.ts'
import { issueCredential } from '#backend/kernel/media/marks/issueCredential.ts'
import { createSigner, type Signer } from '#backend/kernel/media/marks/signInThread.ts'
import { stampVideo } from '#backend/kernel/media/stampVideo.ts'
import { sampled } from '#backend/testing/sampled.ts'
import { makeTinyVideo } from '#backend/testing/tinyVideo.ts'
import { chromiumPath, sharedChromium } from './testing/chromium.ts'

const lacks = chromiumPath() ? '' : ' (no Chromium here)'
const FILM = { taskId: 'task', origin: { source: 'trainedAlgorithmicMedia', agent: null } } as const

describe.skipIf(lacks)(`Chromium${lacks}`, () => {
  let folder: string
  let signer: Signer
  let marker: Marker
  let browser: Browser
  let original: string
  beforeAll(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'kinora-played-'))
    const { certificates, key } = await issueCredential(Date.now())
    signer = createSigner(async () => parseCredential(certificates, key))
    marker = createMarker(signer, 'Kinora', undefined, { warn: () => {} })
    original = path.join(folder, 'plain.mp4')
    await copyFile(await makeTinyVideo(), original)
    await marker.markVideo(original, FILM)
    browser = await sharedChromium(chromiumPath()!)
  })
  afterAll(async () => {
    await signer?.close()
    await rm(folder, { recursive: true })
  })

  it.each(
    sampled([
      ['plain', undefined],
      ['watermarked', { watermark: 'Kinora' }],
      ['labelled', { label: true }],
      ['watermarked and labelled', { watermark: 'Kinora', label: true }],
    ] as const),
  )('plays a marked video to its end: %s', async (name, stamps) => {
    let file = original
    if (stamps) {
      file = path.join(folder, `${name}.mp4`)
      await stampVideo(original, file, stamps)
      await marker.markCopy(file, FILM, original, 'A copy.')
    }
    const page = await browser.newPage()
    const body = await readFile(file)
    await page.route('http://marks.test/**', (route) =>
      route.request().url().endsWith('.mp4')
        ? route.fulfill({ body, contentType: 'video/mp4' })
        : route.fulfill({ body: '<video muted></video>', contentType: 'text/html' }),
    )
    await page.goto('http://marks.test/')
    const played = await page.evaluate(
      () =>
        new Promise((resolve) => {
          const video = document.querySelector('video')!
          video.onerror = () => resolve(video.error?.message)
          video.onended = () => resolve([video.videoWidth, video.videoHeight, Math.round(video.duration)])
          video.src = '/video.mp4'
          void video.play()
        }),
    )
    expect(played).toEqual([128, 72, 1])
    await page.close()
  })
})
