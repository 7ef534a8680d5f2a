import { creditBalances } from './credits/creditBalance.ts'
import { openHolds } from './credits/openHold.ts'
import type { AnyProjection } from './projection.ts'
import { lateRenders } from './tasks/lateRender.ts'
import { openTasks } from './tasks/openTask.ts'
import { videoTasks } from './tasks/videoTask.ts'

export const PROJECTIONS: readonly AnyProjection[] = [videoTasks, openTasks, lateRenders, creditBalances, openHolds]
