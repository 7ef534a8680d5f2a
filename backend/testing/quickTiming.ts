import type { MinimaxTiming } from '../providers/video/minimax/minimax.ts'

/** Intervals for MiniMax, shortened to a hundredth or less. */
export const QUICK_TIMING: Partial<MinimaxTiming> = {
  windowMs: 600,
  pollIntervalMs: 60,
  connectTimeoutMs: 500,
  createTimeoutMs: 1_500,
  queryTimeoutMs: 600,
  stallTimeoutMs: 600,
  sustainedMs: 300,
  initialOpenMs: 50,
  maxOpenMs: 600,
  probeTimeoutMs: 2_500,
}
