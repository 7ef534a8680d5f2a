import { readFileSync } from 'node:fs'
import path from 'node:path'
import { expect, it } from 'vitest'
import { recordAnswers } from './recordedObjects.ts'
import { startS3Double } from './s3Double.ts'

// `npm run test:real -- versitygw --record` makes the recording, and `npm run test:real` compares it with the real server.
it('the double of S3 answers as the recorded server did', async () => {
  const file = path.join(import.meta.dirname, 'recordings/versitygw.json')
  const { answers } = JSON.parse(readFileSync(file, 'utf8')) as { answers: object }
  const double = await startS3Double()
  expect(await recordAnswers(double.access)).toEqual(answers)
  await double.close()
})
