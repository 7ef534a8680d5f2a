import { atom } from 'nanostores'
import type { Reading } from '../../../ui/reading/reading.ts'

/** What the engine understood of the current prompt; null if it draws anything, or has not answered yet. */
export const $understanding = atom<Reading | null>(null)
