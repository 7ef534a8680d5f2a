import type { FailureCode } from '#backend/tasks/contract.ts'

/** Sentences of engines and hosted providers. Anchored to words, because a sentence may contain a part of the prompt. */
const CAUSES: readonly (readonly [FailureCode, RegExp])[] = [
  ['engine_out_of_memory', /\bout of (?:\w+ )?memory\b|\bOutOfMemory|\bAllocation on device\b/i],
  [
    'settings_refused',
    /\b(?:is|are) not supported\b|\bdoes not support\b|\bsupports \S+ (?:clips|videos) only\b|\bmust be (?:one of|in \[|between|divisible|a multiple)|\b(?:invalid|unsupported) (?:size|resolution|duration|seconds|aspect.ratio|value for)/i,
  ],
]

/**
 * Returns a more exact code for a failure of which the provider says only a sentence, so that its owner learns what to change.
 * @example failureCause('provider_failed', 'CUDA out of memory. Tried to allocate 2 GiB') // 'engine_out_of_memory'
 */
export const failureCause = (code: FailureCode, detail: string): FailureCode =>
  code === 'provider_failed' ? (CAUSES.find(([, sentence]) => sentence.test(detail))?.[0] ?? code) : code
