import { readFileSync } from 'node:fs'
import path from 'node:path'
import { expect, it } from 'vitest'
import { recordAnswers } from './recordedCalls.ts'
import { startVideosApiDouble } from './videosApiDouble.ts'

// `npm run test:real -- --record` makes the recordings, and `npm run test:real` compares them with the real engines.
it.each(['vllm-omni', 'sglang'] as const)(
  'the double of %s answers as the recorded engine did',
  async (personality) => {
    const file = path.join(import.meta.dirname, `recordings/${personality}.json`)
    const { answers } = JSON.parse(readFileSync(file, 'utf8')) as { answers: object }
    const double = await startVideosApiDouble({ personality, model: 'MiniMaxAI/MiniMax-H3', renderMs: 500 })
    expect(await recordAnswers(double.url)).toEqual(answers)
    await double.close()
  },
)
