import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'

const user = { id: '1', email: 'ada@kinora.test', username: 'Ada', full_name: 'Ada', language: 'zh', created_at: '' }
const json = (status: number, body: unknown) => new Response(JSON.stringify(body), { status })

/** An English page, and a server that responds by path. */
async function page(answers: Readonly<Record<string, () => Response | Promise<Response>>>, storage = true) {
  const kept = new Map<string, string>()
  const calls: string[] = []
  const [replace, reload] = [vi.fn(), vi.fn()]
  const events = new EventTarget()
  const root = { lang: 'en', dataset: {}, style: { visibility: '' } }
  vi.stubGlobal('localStorage', {
    getItem: (key: string) => kept.get(key) ?? null,
    setItem: (key: string, value: string) => storage && kept.set(key, value),
    removeItem: (key: string) => kept.delete(key),
  })
  vi.stubGlobal('location', { pathname: '/workspace', search: '?a=1', hash: '#x', replace, reload, assign: vi.fn() })
  vi.stubGlobal('addEventListener', events.addEventListener.bind(events))
  vi.stubGlobal('removeEventListener', events.removeEventListener.bind(events))
  vi.stubGlobal('document', {
    documentElement: root,
    body: { hasAttribute: () => true },
    getElementById: () => null,
    visibilityState: 'visible',
    addEventListener: () => {},
  })
  vi.stubGlobal('fetch', async (address: string, init: RequestInit) => {
    const path = address.replace('/api/v1', '')
    calls.push(`${init.method} ${path}`)
    return (answers[path] ?? (() => json(404, {})))()
  })
  vi.resetModules()
  return { kept, calls, replace, reload, events, root, ...(await import('./session.ts')) }
}

beforeEach(() => vi.useFakeTimers())
afterEach(() => {
  vi.useRealTimers()
  vi.unstubAllGlobals()
})

describe('the session at start', () => {
  it('opens the page in the account’s language', async () => {
    const { startSession, replace, kept } = await page({ '/auth/me': () => json(200, user) })
    expect(await startSession()).toEqual({ status: 'in', user })
    expect(replace).toHaveBeenCalledExactlyOnceWith('/zh/workspace?a=1#x')
    expect(kept.get('language')).toBe('zh')
  })

  it('stays on the page if its language is the account’s, or if storage is unavailable', async () => {
    const same = await page({ '/auth/me': () => json(200, { ...user, language: 'en' }) })
    await same.startSession()
    expect(same.replace).not.toHaveBeenCalled()
    const forgetful = await page({ '/auth/me': () => json(200, user) }, false)
    await forgetful.startSession()
    expect(forgetful.replace).not.toHaveBeenCalled()
  })

  it('is renewed once before the user counts as signed out', async () => {
    const { startSession, calls } = await page({
      '/auth/me': () => json(401, {}),
      '/auth/refresh': () => json(401, {}),
    })
    expect(await startSession()).toEqual({ status: 'out' })
    expect(calls).toEqual(['GET /auth/me', 'POST /auth/refresh'])
  })

  it('is asked for until the server answers', async () => {
    const answers = [() => Promise.reject(new TypeError('offline')), () => json(503, {}), () => json(200, user)]
    const { startSession, kept, calls } = await page({ '/auth/me': () => answers.shift()!() })
    kept.set('kinora.user', JSON.stringify({ name: 'Ada', email: user.email, credits: 7 }))
    const started = startSession()
    await vi.advanceTimersByTimeAsync(1_500)
    expect(kept.has('kinora.user')).toBe(true)
    await vi.advanceTimersByTimeAsync(2_000)
    expect(await started).toMatchObject({ status: 'in' })
    expect(calls).toEqual(Array(3).fill('GET /auth/me'))
  })

  it('is renewed every seven hours', async () => {
    const { startSession, calls } = await page({
      '/auth/me': () => json(200, user),
      '/auth/refresh': () => json(200, {}),
    })
    await startSession()
    await vi.advanceTimersByTimeAsync(7 * 3_600_000 - 1)
    expect(calls).toEqual(['GET /auth/me'])
    await vi.advanceTimersByTimeAsync(1)
    expect(calls).toEqual(['GET /auth/me', 'POST /auth/refresh'])
    await vi.advanceTimersByTimeAsync(7 * 3_600_000)
    expect(calls).toHaveLength(3)
  })
})

describe('the saved language', () => {
  it('is stored on the account of a signed-in user', async () => {
    const { saveAccountLanguage, calls } = await page({
      '/auth/me': () => json(200, { ...user, language: 'en' }),
      '/users/language': () => json(200, { language: 'zh' }),
    })
    await saveAccountLanguage('zh')
    expect(calls).toEqual(['GET /auth/me', 'PUT /users/language'])
  })

  it('rejects on failure, and is not sent for visitors', async () => {
    const down = await page({
      '/auth/me': () => json(200, { ...user, language: 'en' }),
      '/users/language': () => json(500, {}),
    })
    await expect(down.saveAccountLanguage('zh')).rejects.toMatchObject({ status: 500 })
    const visitor = await page({})
    await visitor.saveAccountLanguage('zh')
    expect(visitor.calls).toEqual(['GET /auth/me'])
  })
})

describe('the page of a user', () => {
  const opened = async (storage = true) => {
    const opened = await page({ '/auth/me': () => json(200, { ...user, language: 'en' }) }, storage)
    await opened.startSession()
    return opened
  }
  const pageshow = (persisted: boolean) => Object.assign(new Event('pageshow'), { persisted })
  const events = () => [new Event('storage'), pageshow(true)]

  it.each(events())('is reloaded after a sign-in as another user ($type)', async (event) => {
    const { kept, reload, events } = await opened()
    kept.set('kinora.user', JSON.stringify({ ...JSON.parse(kept.get('kinora.user')!), credits: 7 }))
    events.dispatchEvent(event)
    expect(reload).not.toHaveBeenCalled()
    kept.set('kinora.user', JSON.stringify({ name: 'Bob', email: 'bob@kinora.test', credits: 1 }))
    events.dispatchEvent(event)
    expect(reload).toHaveBeenCalledOnce()
  })

  it.each(events())('is reloaded after a sign-out in another tab ($type)', async (event) => {
    const { kept, reload, events } = await opened()
    kept.delete('kinora.user')
    events.dispatchEvent(event)
    expect(reload).toHaveBeenCalledOnce()
  })

  it('is hidden and reloaded when it is restored after its own sign-out', async () => {
    const { signOut, reload, events, root } = await opened()
    await signOut()
    events.dispatchEvent(new Event('storage'))
    events.dispatchEvent(pageshow(false))
    expect(reload).not.toHaveBeenCalled()
    events.dispatchEvent(pageshow(true))
    expect(reload).toHaveBeenCalledOnce()
    expect(root.style.visibility).toBe('hidden')
  })

  it('is not reloaded for lack of storage', async () => {
    const { reload, events } = await opened(false)
    events.dispatchEvent(pageshow(false))
    expect(reload).not.toHaveBeenCalled()
  })
})
