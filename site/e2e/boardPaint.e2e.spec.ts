import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { describeOnBoard } from './onBoard.ts'

/** As many as the operator of a busy site looks at; in the short run enough for every part to be filled. */
const VIEWS = process.env.KINORA_FULL === '1' ? 1_000_000 : 20_000
const WITHIN_MS = 1_000
const LOADS = 5

const data = mkdtempSync(path.join(os.tmpdir(), 'kinora-board-'))
beforeAll(() => {
  const bench = path.resolve(import.meta.dirname, '../../bench/analytics.ts')
  const { status, stderr } = spawnSync(process.execPath, [bench, 'seed', String(VIEWS)], {
    env: { ...process.env, DATA_DIR: data },
    encoding: 'utf8',
  })
  if (status !== 0) throw new Error(`The visits could not be seeded: ${stderr}`)
}, 600_000)
afterAll(() => rmSync(data, { recursive: true, force: true, maxRetries: 10 }))

/** Runs in the page: notes when the whole board was painted, both charts drawn and no part waiting. */
function watchBoard(): void {
  const isWhole = () =>
    document.querySelectorAll('.board canvas').length === 2 && !document.querySelector('.board .skeleton')
  // A callback in a frame comes before its paint; the next task after it.
  const look = () => (isWhole() ? setTimeout(() => performance.mark('whole')) : requestAnimationFrame(look))
  requestAnimationFrame(look)
}

describeOnBoard(
  'the operator’s board',
  (on) => {
    it('is painted whole within a second', { timeout: 120_000 }, async () => {
      const times: number[] = []
      for (let load = 0; load < LOADS; load++) {
        // Each in a browser that has never been here: nothing is cached.
        const page = await on.visit('en')
        await page.setViewportSize({ width: 1920, height: 1080 })
        await page.addInitScript(watchBoard)
        await page.goto(`${on.site.url}/admin/dashboard`, { waitUntil: 'commit' })
        await page.waitForFunction(() => performance.getEntriesByName('whole').length > 0)
        times.push(Math.round(await page.evaluate(() => performance.getEntriesByName('whole')[0]!.startTime)))
        await page.context().close()
      }
      console.log(`The whole board over ${VIEWS} visits was painted after ${times.join(', ')} ms`)
      // Of a machine with other work only the best load says what the board takes.
      expect(Math.min(...times)).toBeLessThan(WITHIN_MS)
    })
  },
  { DATA_DIR: data },
)
