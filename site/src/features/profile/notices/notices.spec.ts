import { afterEach, describe, expect, it, vi } from 'vitest'
import { $notices, setMail, setPush } from './notices.ts'

afterEach(() => vi.useRealTimers())

describe('the two kinds of notices', () => {
  it('do not undo each other when they are switched at the same time', async () => {
    const answers = new Map<string, (response: Response) => void>()
    vi.stubGlobal('fetch', (address: string) => {
      return new Promise<Response>((resolve) => answers.set(address.split('/').at(-1)!, resolve))
    })
    const answer = (name: string, status: number) =>
      answers.get(name)!(
        status === 204 ? new Response(null, { status }) : Response.json({ code: 'internal' }, { status }),
      )
    $notices.set({ push: true, mail: false, pushKey: 'k' })
    const push = setPush(false)
    const mail = setMail(true)
    answer('mail', 204)
    await mail
    answer('push', 204)
    await push
    expect($notices.get()).toMatchObject({ push: false, mail: true })

    const off = [setMail(false), setPush(false)]
    answer('push', 204)
    await off[1]
    $notices.set({ ...$notices.get()!, push: true })
    answer('mail', 500)
    await off[0]
    expect($notices.get()).toMatchObject({ push: true, mail: true })
  })
})

describe('a mail setting that is switched twice', () => {
  it('keeps the change that is on its way', async () => {
    const sent: unknown[] = []
    vi.stubGlobal('fetch', async (_: string, { body }: RequestInit) => {
      sent.push(JSON.parse(String(body)))
      return new Response(null, { status: 204 })
    })
    $notices.set({ push: false, mail: false, pushKey: 'k' })
    await Promise.all([setMail(true), setMail(false)])
    expect(sent).toEqual([{ on: true }])
    expect($notices.get()).toMatchObject({ mail: true })
  })
})

describe('push messages', () => {
  it('can be tried again after the service worker failed to install', async () => {
    vi.useFakeTimers()
    const register = vi.fn(async () => {})
    vi.stubGlobal('navigator', { serviceWorker: { register, ready: new Promise(() => {}) } })
    vi.stubGlobal('Notification', { requestPermission: async () => 'granted' })
    $notices.set({ push: false, mail: false, pushKey: 'k' })
    let ended = 0
    for (const attempt of [1, 2]) {
      void setPush(true).then(() => ended++)
      await vi.advanceTimersByTimeAsync(10_000)
      expect([ended, register.mock.calls.length]).toEqual([attempt, attempt])
    }
    expect($notices.get()).toMatchObject({ push: false })
  })
})
