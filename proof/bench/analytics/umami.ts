import { setTimeout as delay } from 'node:timers/promises'

/**
 * To measure a running Umami (2.x) as well, set `UMAMI_URL`, `UMAMI_WEBSITE` (the id of a website with the same rows),
 * `UMAMI_USERNAME` and `UMAMI_PASSWORD`.
 */
const { UMAMI_URL, UMAMI_WEBSITE, UMAMI_USERNAME = 'admin', UMAMI_PASSWORD = 'umami' } = process.env
const ROUNDS = 20
const DAY_MS = 86_400_000

/**
 * Returns the median time in milliseconds to load Umami's dashboard, with its API calls in parallel. Undefined without
 * Umami.
 */
export async function umamiBoard(): Promise<number | undefined> {
  if (!UMAMI_URL || !UMAMI_WEBSITE) return undefined
  const login = await fetch(`${UMAMI_URL}/api/auth/login`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ username: UMAMI_USERNAME, password: UMAMI_PASSWORD }),
  })
  const { token } = (await login.json()) as { token: string }
  const end = Date.now()
  const span = (days: number) => `startAt=${end - days * DAY_MS}&endAt=${end}`
  const calls = [
    `stats?${span(1)}`,
    `pageviews?${span(7)}&unit=day&timezone=UTC`,
    `pageviews?${span(1)}&unit=hour&timezone=UTC`,
    `metrics?${span(1)}&type=url&limit=10`,
    `sessions?${span(1)}&page=1&pageSize=10`,
  ]
  const times: number[] = []
  for (let round = 0; round < ROUNDS; round++) {
    const begun = performance.now()
    await Promise.all(
      calls.map(async (call) => {
        const headers = { authorization: `Bearer ${token}` }
        const answer = await fetch(`${UMAMI_URL}/api/websites/${UMAMI_WEBSITE}/${call}`, { headers })
        if (!answer.ok) throw new Error(`Umami ${call}: ${answer.status}`)
        await answer.arrayBuffer()
      }),
    )
    times.push(performance.now() - begun)
  }
  return times.sort((a, b) => a - b)[ROUNDS / 2]
}

/** Returns how many views per second Umami ingests over `connections` connections; undefined without Umami. */
export async function umamiIngest(connections: number, ms: number): Promise<number | undefined> {
  if (!UMAMI_URL || !UMAMI_WEBSITE) return undefined
  let taken = 0
  let running = true
  const send = async (_: unknown, n: number) => {
    for (let view = 0; running; view++) {
      const payload = {
        website: UMAMI_WEBSITE,
        hostname: 'kinora.test',
        language: 'en',
        screen: '1280x800',
        title: 'Kinora',
        referrer: '',
        url: `/clips/${(view * connections + n) % 50}`,
      }
      const answer = await fetch(`${UMAMI_URL}/api/send`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'user-agent': 'Mozilla/5.0 (X11; Linux x86_64) Firefox/144.0' },
        body: JSON.stringify({ type: 'event', payload }),
      })
      await answer.arrayBuffer()
      taken++
    }
  }
  const all = Promise.all(Array.from({ length: connections }, send))
  await delay(ms)
  const rate = taken / (ms / 1000)
  running = false
  await all
  return rate
}
