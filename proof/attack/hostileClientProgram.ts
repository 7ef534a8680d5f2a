import { spawnSync } from 'node:child_process'
import os from 'node:os'
import { setTimeout as delay } from 'node:timers/promises'
import { WebSocket } from 'ws'
import { hostileFiles, largePicture } from '#backend/testing/hostileFiles.ts'
import { worstPatterns } from '#backend/testing/worstPatterns.ts'

// One hostile client of one account and one address, until it is killed. The last argument lists what it sends.
const [url, cookie = '', address = '203.0.113.9', kinds = 'uploads,patterns,sockets'] = process.argv.slice(2)
const api = `${url}/api/v1`
const from = { cookie, 'x-forwarded-for': address }
leaveProcessorToServer()
const PATTERNS_AT_ONCE = 4
const SOCKETS_AT_ONCE = 5
const PAUSE_MS = 5

const post = (path: string, body: BodyInit, headers: Record<string, string> = {}) =>
  fetch(api + path, { method: 'POST', body, headers: { ...from, ...headers } })
    .then((answer) => answer.text())
    .catch(() => '')

async function upload(): Promise<void> {
  const large = largePicture()
  const files = [...hostileFiles(40, 7)].map(({ bytes }) => bytes)
  for (let n = 0; ; n++) {
    const form = new FormData()
    form.append('file', new Blob([new Uint8Array(n % 4 === 0 ? large : files[n % files.length]!)]), 'a.png')
    await post('/videos/upload-image', form)
    await delay(PAUSE_MS)
  }
}

async function sendPatterns(): Promise<void> {
  const worst = worstPatterns(63_000)
  for (let n = 0; ; n++) {
    const text = worst[n % worst.length]!
    const body = { email: text, password: text, prompt: text, path: text, username: text, referrer: text }
    const path = ['/auth/login', '/videos/generate', '/analytics/page-view', '/auth/register'][n % 4]!
    await post(path, JSON.stringify(body), { 'content-type': 'application/json' })
    await delay(PAUSE_MS)
  }
}

async function flood(): Promise<void> {
  for (;;) {
    const { token } = JSON.parse((await post('/ws/token', '')) || '{}') as { token?: string }
    const socket = new WebSocket(`${api.replace('http', 'ws')}/ws?token=${token}`, { headers: from })
    const closed = new Promise<void>((resolve) => socket.once('close', () => resolve()))
    socket
      .on('error', () => {})
      .on('open', () => {
        for (let n = 0; n < 500; n++) socket.send('['.repeat(4_000))
      })
    await closed
    await delay(PAUSE_MS)
  }
}

const sends = (kind: string) => kinds.split(',').includes(kind)
if (sends('uploads')) void upload()
for (let n = 0; n < PATTERNS_AT_ONCE && sends('patterns'); n++) void sendPatterns()
for (let n = 0; n < SOCKETS_AT_ONCE && sends('sockets'); n++) void flood()
process.send!('ready')

/**
 * Runs this process only while nothing else needs the processor. A real attacker has a machine of its own, so the time
 * that it spends on making requests must not count as an effect on the server.
 */
function leaveProcessorToServer(): void {
  os.setPriority(os.constants.priority.PRIORITY_LOW)
  // Niceness alone lets it finish its time slice while the server waits. Other systems have no `chrt`.
  spawnSync('chrt', ['--all-tasks', '--idle', '--pid', '0', String(process.pid)])
}
