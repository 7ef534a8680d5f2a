import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { createCanvas } from '@napi-rs/canvas'
import { chromium, type Page } from 'playwright'
import { freePort } from '#backend/testing/freePort.ts'
import { registerUser } from '#backend/testing/testUser.ts'
import { buildSiteIfStale } from '../../scripts/buildSite.mjs'
import { startKinora } from './journey.ts'
import type { Part, PartContext } from './part.ts'
import { PROXIES } from './proxies.ts'
import { CHROMIUM, installed, makeCertificate, startServer } from './server.ts'

const read = (language: string, name: string) =>
  JSON.parse(readFileSync(path.resolve(import.meta.dirname, `../../content/${language}/${name}.json`), 'utf8'))

/** What users see in both languages: behind nginx with nothing set but the address, and behind the sample of the documents. */
export const DEFAULTS_PARTS: readonly Part[] = [
  { name: 'nginx with its defaults', run: (context) => tryPages('defaults', context) },
  { name: 'nginx with the sample', run: (context) => tryPages('sample', context) },
]

async function tryPages(setting: 'defaults' | 'sample', { folder, pictures }: PartContext): Promise<string> {
  const nginx = installed('nginx', '/usr/sbin/nginx')
  const executablePath = installed('chromium', ...CHROMIUM)
  await buildSiteIfStale()
  const [port, upstream] = [await freePort(), await freePort()]
  const url = `https://localhost:${port}`
  const env = { DATA_DIR: path.join(folder, 'data'), PORT: String(upstream), PUBLIC_URL: url, TRUSTED_PROXIES: '1' }
  await using kinora = await startKinora(env)
  const { certificate, key } = makeCertificate(folder)
  const addresses = { certificate, key, port, upstream }
  const pasted = () => ['-p', folder, '-c', written(folder, addresses)]
  const args = setting === 'sample' ? PROXIES[0]!.configure({ folder, ...addresses }) : pasted()
  await using _ = await startServer([nginx, ...args], port)
  await using browser = await chromium.launch({ executablePath, args: ['--no-sandbox'] })
  for (const language of ['en', 'zh']) {
    const user = await registerUser(`http://localhost:${upstream}`)
    assert.ok((await user.call('PUT', '/users/language', { language })).ok)
    const context = await browser.newContext({ ignoreHTTPSErrors: true, locale: language === 'zh' ? 'zh-CN' : 'en-US' })
    const cookies = user.cookie.split('; ').map((pair) => pair.split(/=(.*)/s) as [string, string])
    await context.addCookies(cookies.map(([name, value]) => ({ name, value, url, secure: true })))
    const page = await context.newPage()
    const shoot = async (name: string) => {
      if (!pictures) return
      mkdirSync(pictures, { recursive: true })
      await page.screenshot({ fullPage: true, path: path.join(pictures, `nginx-${setting}-${name}-${language}.png`) })
    }
    await page.goto(`${url}${language === 'zh' ? '/zh' : ''}/workspace`)
    const status = await choosePicture(page, language)
    assert.equal(status, setting === 'sample' ? 200 : 413)
    if (setting === 'defaults') await page.getByText(read(language, 'errors').proxy_limit).waitFor()
    await shoot('picture')
    await orderFilm(page, language)
    const polling = page.getByText(read(language, 'workspace').realtime.polling)
    if (setting === 'sample') {
      await page.locator('[data-task][data-status="Success"]').first().waitFor()
      assert.equal(await polling.count(), 0)
    } else {
      await polling.waitFor()
      assert.doesNotMatch((await page.locator('[data-task]').first().textContent()) ?? '', /%/)
    }
    await shoot('film')
    await context.close()
  }
  assert.equal(kinora.errors(), '')
  const { stderr } = spawnSync(nginx, ['-v'], { encoding: 'utf8' })
  return /\d+\.\d+\.\d+/.exec(stderr)?.[0] ?? ''
}

/** Writes what people paste: an address, and nothing else. Returns the file. */
function written(
  folder: string,
  { certificate, key, port, upstream }: Readonly<Record<string, string | number>>,
): string {
  const file = path.join(folder, 'nginx.conf')
  const folders = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
    (name) => `${name}_temp_path ${folder}/${name};`,
  )
  const site = `listen 127.0.0.1:${port} ssl; ssl_certificate ${certificate}; ssl_certificate_key ${key};
    location / { proxy_pass http://127.0.0.1:${upstream}; proxy_set_header Host $host:${port}; proxy_set_header X-Forwarded-For $remote_addr; }`
  const main = `daemon off; pid ${folder}/nginx.pid; error_log ${folder}/error.log; events {}`
  writeFileSync(file, `${main} http { access_log off; ${folders.join(' ')} server { ${site} } }`)
  return file
}

/** Chooses a picture of 3 MB, which Kinora takes. Returns the status of the answer to its upload. */
async function choosePicture(page: Page, language: string): Promise<number> {
  const texts = read(language, 'workspace')
  await page.getByRole('tab', { name: texts.form.image }).click()
  const canvas = createCanvas(1_280, 720)
  const [draw, shade] = [canvas.getContext('2d'), () => Math.floor(Math.random() * 256)]
  for (let n = 0; n < 1_280 * 720; n++) {
    draw.fillStyle = `rgb(${shade()},${shade()},${shade()})`
    draw.fillRect(n % 1_280, Math.floor(n / 1_280), 1, 1)
  }
  const file = { name: 'noise.jpg', mimeType: 'image/jpeg', buffer: canvas.toBuffer('image/jpeg', 100) }
  assert.ok(file.buffer.length > 1_500_000, `the picture has ${file.buffer.length} bytes`)
  const answer = page.waitForResponse(/upload-image/)
  await page.locator('input[type=file]').setInputFiles(file)
  return (await answer).status()
}

/** Orders a film when it is clear whether there is a socket. */
async function orderFilm(page: Page, language: string): Promise<void> {
  const texts = read(language, 'workspace')
  await page.getByRole('tab', { name: texts.form.text }).click()
  // The page gives a socket five seconds.
  await delay(6_000)
  await page.getByRole('textbox', { name: texts.form.prompt }).fill('A lighthouse by the sea at dusk 灯塔')
  await page.getByRole('button', { name: new RegExp(texts.form.generate) }).click()
}
