import { computed } from 'nanostores'
import { $uploading } from '../frames/frames.ts'
import { $generation, $needsPlan, $short } from '../generation.ts'
import { $isFull } from './takeCount.ts'

/** Why Generate cannot be used now: credits or the plan do not suffice, an image is being uploaded, or the queue is full. */
export const $blocked = computed(
  [$short, $needsPlan, $uploading, $generation, $isFull],
  (short, needsPlan, uploading, { taskType }, isFull): 'locked' | 'uploading' | 'full' | null => {
    if (short || needsPlan) return 'locked'
    if (uploading.references || (uploading.frames && taskType === 'image_to_video')) return 'uploading'
    return isFull ? 'full' : null
  },
)
