import { describe, expect, it } from 'vitest'
import { supervise } from './supervise.mjs'

/** Supervises a server that lives for `lifeMs` and ends with these codes, in turn, and the last one from then on. */
async function supervised(codes: number[], lifeMs = 0) {
  const seen = { now: 0, starts: [] as number[], pauses: [] as number[], printed: [] as string[] }
  const start = async (restarts: number) => {
    seen.starts.push(restarts)
    seen.now += lifeMs
    return codes.length > 1 ? codes.shift()! : codes[0]!
  }
  const pause = async (ms: number) => {
    seen.pauses.push(ms)
    seen.now += ms
  }
  const code = await supervise(start, { now: () => seen.now, pause, print: (line: string) => seen.printed.push(line) })
  return { code, ...seen }
}

describe('a supervised server', () => {
  it.each([0, 1, 2, 130, 137, 143])('is not started again after exit code %i', async (code) =>
    expect(await supervised([code])).toMatchObject({ code, starts: [0], printed: [] }),
  )

  it.each([70, 134, 139])('is started again after exit code %i, and its next exit code is passed on', async (code) =>
    expect(await supervised([code, 0])).toMatchObject({
      code: 0,
      starts: [0, 1],
      printed: [`The server has ended after an uncaught error (exit code ${code}), and is started again.`],
    }),
  )

  it('is started again within two seconds, later each time, and stays stopped after ten times in a minute', async () => {
    const { code, starts, pauses, printed } = await supervised([70], 2_000)
    expect([code, starts.length, printed.length]).toEqual([70, 11, 12])
    expect(Math.max(...pauses)).toBeLessThan(2_000)
    expect(pauses).toEqual(pauses.toSorted((a, b) => a - b))
    expect(printed.at(-2)).toBe('The server has ended after uncaught errors 11 times in a minute, and stays stopped.')
  })

  it('is started again for ever, after the shortest pause, if it lives for a minute each time', async () => {
    const { starts, pauses } = await supervised([...Array<number>(50).fill(70), 0], 60_000)
    expect([starts.length, new Set(pauses).size]).toEqual([51, 1])
  })
})
