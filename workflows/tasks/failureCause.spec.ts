import { expect, it } from 'vitest'
import { failureCause } from './failureCause.ts'

it.each([
  ['CUDA out of memory. Tried to allocate 2.00 GiB', 'engine_out_of_memory'],
  ['torch.OutOfMemoryError: HIP', 'engine_out_of_memory'],
  ['Node 3 (KSampler): Allocation on device', 'engine_out_of_memory'],
  ['The engine answered HTTP 400 This diffusion model supports 10-second clips only.', 'settings_refused'],
  ['MiniMax H3 target.duration_seconds must be in [4, 15], got 20', 'settings_refused'],
  ['negative_prompt is not supported: MiniMax H3 serves only the distilled checkpoint', 'settings_refused'],
  ['Invalid resolution', 'settings_refused'],
  ['The graph saved no file.', 'provider_failed'],
  ['A cat that ran out of memories', 'provider_failed'],
  ['', 'provider_failed'],
])('%s is %s', (detail, code) => {
  expect(failureCause('provider_failed', detail)).toBe(code)
})

it('does not change a failure whose code says more already', () => {
  expect(failureCause('content_refused', 'out of memory')).toBe('content_refused')
})
