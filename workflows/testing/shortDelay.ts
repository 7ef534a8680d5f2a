import { setTimeout as delay } from 'node:timers/promises'
import type { ActivityDeps } from '../tasks/taskCommands.ts'

/** A delay of one millisecond at most. */
export const shortDelay: ActivityDeps['delay'] = (ms, signal) => delay(Math.min(ms, 1), undefined, { signal })
