import type { MinimaxPace } from '../providers/video/minimax/minimax.ts'

/** MiniMax's minutes in a hundredth of the time, or less. */
export const QUICK_PACE: Partial<MinimaxPace> = {
  windowMs: 600,
  pollMs: 60,
  connectMs: 500,
  createMs: 1_500,
  askMs: 600,
  stallMs: 600,
  openMs: 50,
  longestOpenMs: 600,
  trialMs: 2_500,
}
