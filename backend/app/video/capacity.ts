import { demoSlots } from '../../providers/video/demo/demoProvider.ts'
import { JOIN } from '../../tasks/contract.ts'
import type { VideoProvider } from '../../tasks/videoProvider.port.ts'

type Videos = ReadonlyMap<string, VideoProvider>

/** Returns the providers that make new videos. */
const enginesOf = (videos: Videos) => [...videos.values()].filter(({ name }) => name !== JOIN)

/** Returns whether all videos are drawn on this machine. */
export function rendersHere(videos: Videos): boolean {
  const engines = enginesOf(videos)
  return engines.length > 0 && engines.every(({ name }) => name === 'demo')
}

/**
 * Returns the maximum number of concurrent renderings. Only the demo renderer uses the cores of this machine. Beside other providers it
 * limits itself.
 */
export const renderSlots = (videos: Videos): number => (rendersHere(videos) ? demoSlots() : 2_000)

/** Estimate of a render by a provider that states none. The help page says one to three minutes. */
const UNKNOWN_MS = 120_000

/** Returns the providers that make most videos: beside real engines, few people order drawings. */
function mainProviders(videos: Videos): readonly VideoProvider[] {
  const all = enginesOf(videos)
  return rendersHere(videos) ? all : all.filter(({ name }) => name !== 'demo')
}

/** Returns how many renders the estimate expects at a time: an own engine makes its jobs wait, usually for a single GPU. */
function expectedSlots(videos: Videos): number {
  const main = mainProviders(videos)
  const waitsElsewhere = !rendersHere(videos) && main.every(({ ownQueue }) => ownQueue)
  return waitsElsewhere ? Math.max(1, main.length) : renderSlots(videos)
}

/** Returns what the estimate of the queue knows about renders before any is finished: limits and the slowest typical time. */
export function estimatesOf(videos: Videos) {
  const providers = mainProviders(videos)
  const rate = providers.reduce((sum, { createsPerMinute = Number.POSITIVE_INFINITY }) => sum + createsPerMinute, 0)
  return {
    renderSlots: expectedSlots(videos),
    createsPerMinute: Number.isFinite(rate) ? rate : undefined,
    firstEstimateMs: Math.max(...providers.map(({ typicalMs = UNKNOWN_MS }) => typicalMs)),
  }
}
