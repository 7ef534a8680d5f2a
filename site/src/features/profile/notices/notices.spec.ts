import { describe, expect, it, vi } from 'vitest'
import { $notices, setMail, setPush } from './notices.ts'

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
