import { expect, it } from 'vitest'
import { openEngineSettings, resealEngineSettings } from './engineSettings.ts'

const [former, next] = ['ab'.repeat(32), 'ef'.repeat(32)]
const ENGINE = { url: 'http://gpu:8188', key: 'Authorization: Basic dXNlcjpwYXNz' }

/** A table of settings in memory. */
function createTable() {
  const stored = new Map<string, string>()
  return {
    async query(_: string, [row, value]: readonly string[] = []) {
      if (row !== undefined && value !== undefined) stored.set(row, value)
      return { rows: [...stored].map(([name, sealed]) => ({ name, sealed })), rowCount: stored.size }
    },
  }
}

it('keeps the engines of the board when the master key is rotated', async () => {
  const pool = createTable()
  const open = (encryption: string) =>
    openEngineSettings({ pool, log: { warn() {} }, config: { secrets: { encryption } } } as never, () => {})
  const before = await open(former)
  await before.set('comfyui', ENGINE)
  await before.close()
  await resealEngineSettings(pool as never, former, next)
  const after = await open(next)
  expect([...after.current()]).toEqual([['comfyui', ENGINE]])
  await after.close()
})
