import { readFileSync } from 'node:fs'
import path from 'node:path'
import { expect, it } from 'vitest'
import { startComfyuiDouble } from './comfyuiDouble.ts'
import { recordAnswers } from './recordedCalls.ts'

// `npm run test:real -- ComfyUI --record` makes the recording, and `npm run test:real` compares it with the real server.
it('the double of ComfyUI answers as the recorded server did', async () => {
  const { answers } = JSON.parse(readFileSync(path.join(import.meta.dirname, 'recordings/older.json'), 'utf8'))
  const double = Object.assign(await startComfyuiDouble({ older: true }), { renderMs: 500 })
  expect(await recordAnswers(double.url)).toEqual(answers)
  await double.close()
})
