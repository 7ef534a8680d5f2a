import { mkdtempSync, rmSync } from 'node:fs'
import { mkdir, writeFile } from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { readConfig } from '../../app/config/readConfig.ts'
import { startKinora } from '../../app/kinora.ts'
import { MEDIA } from './shoot.ts'

const VIDEO = { task_type: 'text_to_video', model: 'MiniMax-Hailuo-02', duration: 6, resolution: '768P' }
const PROMPTS = ['A mountain lake at sunset, birds crossing the sky', 'A sailboat on a calm sea at sunset']

interface Task {
  readonly id: string
  readonly status: string
}
interface Entry {
  readonly kind: string
  readonly amount: number
  readonly balance_after: number
  readonly created_at: string
}

/** Records the ledger of a new account that renders one video and cancels another, for the landing page. */
export async function recordReceipt(): Promise<void> {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'kinora-receipt-'))
  const config = readConfig({ NODE_ENV: 'development', PORT: '0', LOG_LEVEL: 'error', DATA_DIR: folder })
  const kinora = await startKinora(config)
  try {
    const cookie = await signUp(kinora.url)
    const call = async <T>(method: string, address: string, body?: object): Promise<T> => {
      const headers = { cookie, 'content-type': 'application/json' }
      const sent = body ? { body: JSON.stringify(body) } : {}
      const answer = await fetch(`${kinora.url}/api/v1${address}`, { method, headers, ...sent })
      return (await answer.json()) as T
    }
    const order = (prompt: string) => call<{ task: Task }>('POST', '/videos/generate', { ...VIDEO, prompt })
    const [first, second] = [await order(PROMPTS[0]!), await order(PROMPTS[1]!)]
    await call('POST', `/videos/tasks/${second.task.id}/cancel`)
    while ((await call<Task>('GET', `/videos/tasks/${first.task.id}`)).status !== 'Success') await delay(500)
    await delay(1_000)
    const { entries } = await call<{ entries: Entry[] }>('GET', '/credits/history?per_page=20')
    const movements = entries.toReversed().map(({ kind, amount, balance_after, created_at }) => ({
      ...{ kind, amount, balance: balance_after },
      at: created_at,
    }))
    const out = path.join(MEDIA, 'receipt')
    await mkdir(out, { recursive: true })
    const { resolution, duration: seconds } = VIDEO
    await writeFile(path.join(out, 'receipt.json'), `${JSON.stringify({ resolution, seconds, movements }, null, 2)}\n`)
  } finally {
    await kinora.stop()
    rmSync(folder, { recursive: true, force: true, maxRetries: 10 })
  }
}

/** Makes an account with a mailed link. Returns its session cookies. */
async function signUp(url: string): Promise<string> {
  const email = 'receipt@kinora.test'
  const post = (address: string, body: object) =>
    fetch(`${url}/api/v1${address}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    })
  await post('/auth/start', { email })
  const mails = (await (await fetch(`${url}/dev/mailbox.json?to=${email}`)).json()) as { text: string }[]
  const token = /#token=([\w-]+)/.exec(mails[0]!.text)![1]!
  const answer = await post('/auth/start/confirm', { token })
  return answer.headers
    .getSetCookie()
    .map((line) => line.split(';')[0])
    .join('; ')
}
