import { expect, it } from 'vitest'
import { REQUEST } from '../testing/videoProviderContract.ts'
import { createForm } from './createForm.ts'

const promptSent = async (prompt: string, cameraMovements: typeof REQUEST.cameraMovements) =>
  (await createForm({ ...REQUEST, prompt, cameraMovements }, 'vllm-omni')).get('prompt')

it('sends a text with a picture that was ordered without one, which the engines refuse', async () => {
  expect(await promptSent('', [])).toBe('The picture comes to life.')
  expect(await promptSent('', ['左移'])).toBe('The picture comes to life. Camera: truck left.')
  expect(await promptSent('A cat', [])).toBe('A cat')
})
