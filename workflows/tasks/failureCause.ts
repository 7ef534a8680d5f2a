import type { FailureCode } from '#backend/tasks/contract.ts'

const REFUSED = String.raw`(?:must be|must not|must match|cannot be|can't be|is (?:not supported|invalid|too \w+|required)|are not supported|not in|exceeds|requires)`
/** Returns a pattern for sentences that refuse a setting, such as "duration must be 6 or 10" and "Invalid duration". */
const refusalOf = (setting: string) =>
  new RegExp(
    String.raw`\b(?:\w+\.)?(?:${setting})\b[^.]{0,40} ${REFUSED}\b|\b(?:invalid|unsupported)(?: value for)? (?:${setting})\b|\brequires an? (?:\w+ )?(?:${setting})\b`,
    'i',
  )

/**
 * Sentences of engines and hosted providers, the most exact first. Anchored to words of refusal, because a sentence may contain a
 * part of the prompt.
 */
const CAUSES: readonly (readonly [FailureCode, RegExp])[] = [
  ['engine_out_of_memory', /\bout of (?:\w+ )?memory\b|\bOutOfMemory|\bAllocation on device\b/i],
  [
    'content_refused',
    /\bcontent[ _-]policy|\b(?:blocked|rejected|refused) by (?:\w+ )?(?:moderation|safety)|\bNSFW (?:content|concept)|\bflagged as (?:sensitive|unsafe)/i,
  ],
  [
    'model_not_ready',
    /\bValue not in list\b|\bModel mismatch\b|\bcustom node may not be installed\b|\bbecause a node is missing\b|\bbecause node \w{1,60} does not exist\b|\bThere is no graph\b|\.(?:safetensors|gguf|ckpt|pth?)\b/i,
  ],
  ['length_refused', /\bsupports \d{1,3}-second (?:clips|videos) only\b/i],
  ['length_refused', refusalOf('duration(?:_seconds)?|seconds|length|num_frames|frames')],
  ['size_refused', refusalOf('size|resolution|short_edge|width|height|aspect[_ ]?ratio')],
  [
    'settings_refused',
    /\b(?:is|are) not supported\b|\bdoes not support\b|\bsupports \S{1,20} (?:clips|videos) only\b|\bmust be (?:one of|in \[|between|divisible|a multiple)|\b(?:invalid|unsupported) value for/i,
  ],
]

/**
 * Returns a more exact code for a failure of which the provider says only a sentence, so that its owner learns what to change.
 * @example failureCause('provider_failed', 'CUDA out of memory. Tried to allocate 2 GiB') // 'engine_out_of_memory'
 */
export const failureCause = (code: FailureCode, detail: string): FailureCode =>
  code === 'provider_failed' ? (CAUSES.find(([, sentence]) => sentence.test(detail))?.[0] ?? code) : code
