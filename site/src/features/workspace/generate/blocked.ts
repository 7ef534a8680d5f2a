import { computed } from 'nanostores'
import { $uploading } from '../frames/frames.ts'
import { $generation, $needsPlan, $short } from '../generation.ts'
import { $understanding } from '../understanding/understood.ts'
import { $isFull } from './takeCount.ts'

/**
 * Why Generate cannot be used now: credits or the plan do not suffice, an image is being uploaded, the demo draws too
 * little of the prompt, or the queue is full.
 */
export const $blocked = computed(
  [$short, $needsPlan, $uploading, $generation, $isFull, $understanding],
  (short, needsPlan, uploading, { taskType }, isFull, read): 'locked' | 'uploading' | 'full' | 'undrawn' | null => {
    if (short || needsPlan) return 'locked'
    if (uploading.references || (uploading.frames && taskType === 'image_to_video')) return 'uploading'
    if (read?.enough === false) return 'undrawn'
    return isFull ? 'full' : null
  },
)
