import { setTimeout as delay } from 'node:timers/promises'
import { createCanvas } from '@napi-rs/canvas'
import type { Answer, Attacker } from './attacker.ts'
import type { Account } from './target.ts'

export const GENERATION = {
  task_type: 'text_to_video',
  model: 'MiniMax-Hailuo-02',
  duration: 6,
  resolution: '768P',
}

export const generate = (attacker: Attacker, as: Account, key?: string): Promise<Answer> =>
  attacker.call(
    'POST',
    '/videos/generate',
    as,
    { ...GENERATION, prompt: `a hill canary-${as.n}-` },
    key ? { 'idempotency-key': key } : {},
  )

/** Returns a small valid picture. */
export const pictureBytes = (): Buffer => createCanvas(640, 360).toBuffer('image/png')

function pictureForm(): FormData {
  const form = new FormData()
  form.append('file', new Blob([new Uint8Array(pictureBytes())], { type: 'image/png' }), 'a.png')
  return form
}

/** Makes a video, a picture and a session for an account. Returns their ids. */
export async function makeWork(attacker: Attacker, as: Account): Promise<readonly string[]> {
  const { task } = (await generate(attacker, as)).json() as { task: { id: string } }
  const uploaded = await attacker.send({ method: 'POST', path: '/videos/upload-image', as, body: pictureForm() })
  const { image_url } = uploaded.json() as { image_url: string }
  const sessions = (await attacker.call('GET', '/users/sessions', as)).json() as { sessions: { id: string }[] }
  for (let tries = 0; tries < 200; tries++) {
    const { status } = (await attacker.call('GET', `/videos/tasks/${task.id}`, as)).json() as { status: string }
    if (status === 'Success' || status === 'Fail') break
    await delay(50)
  }
  return [task.id, image_url.split('/').at(-1)!, ...sessions.sessions.map(({ id }) => id)]
}
