import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { failureCause } from './failureCause.ts'

it.each([
  ['CUDA out of memory. Tried to allocate 2.00 GiB', 'engine_out_of_memory'],
  ['torch.OutOfMemoryError: HIP', 'engine_out_of_memory'],
  ['Node 3 (KSampler): Allocation on device', 'engine_out_of_memory'],
  ['The engine answered HTTP 400 This diffusion model supports 10-second clips only.', 'length_refused'],
  ['MiniMax H3 target.duration_seconds must be in [4, 15], got 20', 'length_refused'],
  ['negative_prompt is not supported: MiniMax H3 serves only the distilled checkpoint', 'settings_refused'],
  ['Invalid resolution', 'size_refused'],
  ['MiniMax H3 target.short_edge must be 768, got 1440', 'size_refused'],
  ['t2va requires an explicit aspect_ratio', 'size_refused'],
  ['Width and height must be divisible by 16', 'size_refused'],
  ['invalid params, duration must be 6 or 10 (2013)', 'length_refused'],
  ['The engine answered HTTP 400 "Model mismatch: request specifies \'another\'"', 'model_not_ready'],
  [
    "ComfyUI would make no video at node 37 (UNETLoader): Value not in list: unet_name: 'wan.safetensors' not in []",
    'model_not_ready',
  ],
  ["Node 'ID #3' not found. The custom node may not be installed.", 'model_not_ready'],
  ['There is no graph wan.', 'model_not_ready'],
  ['Node 9 (MinimaxVideo): The request was rejected by content moderation', 'content_refused'],
  ['The length of the film pleases', 'provider_failed'],
  ['The graph saved no file.', 'provider_failed'],
  ['A cat that ran out of memories', 'provider_failed'],
  ['', 'provider_failed'],
])('%s is %s', (detail, code) => {
  expect(failureCause('provider_failed', detail)).toBe(code)
})

describe('a refusal that an engine really gave', () => {
  const recorded = ['vllm-omni', 'sglang'].flatMap((engine) => {
    const file = new URL(`../../backend/providers/video/videosApi/testing/recordings/${engine}.json`, import.meta.url)
    const { answers } = JSON.parse(readFileSync(file, 'utf8')) as {
      answers: Record<string, { status: number; body: Body }>
    }
    return Object.values(answers).flatMap(({ status, body }) =>
      status === 400 ? [body.error?.message ?? String(body.detail)] : [],
    )
  })
  const codes = Object.fromEntries(recorded.map((detail) => [detail, failureCause('provider_failed', detail)]))

  it('has a class for its owner if the owner chose what it refuses', () => {
    expect(codes).toEqual({
      'MiniMax H3 target.short_edge must be 768, got 1440': 'size_refused',
      't2va requires an explicit aspect_ratio': 'size_refused',
      'target.short_edge must be an integer': 'size_refused',
      'target.duration_seconds must be in [4, 15], got 20': 'length_refused',
      'negative_prompt is not supported: MiniMax H3 serves only the CFG-distilled single-positive-branch checkpoint':
        'settings_refused',
      // Faults of the form that Kinora never sends.
      'prompt is required': 'provider_failed',
      'task is required for MiniMax H3; supported tasks: fl2va, ref2va, t2va': 'provider_failed',
      "conditions requires at least one entry for task 'fl2va'": 'provider_failed',
    })
  })
})
interface Body {
  readonly detail?: unknown
  readonly error?: { readonly message?: string }
}

it('does not change a failure whose code says more already', () => {
  expect(failureCause('content_refused', 'out of memory')).toBe('content_refused')
})
