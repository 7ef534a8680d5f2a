export const SPEEDS = [0.25, 0.5, 1, 1.5, 2] as const

const FRAME_S = 1 / 25

export function togglePlay(video: HTMLVideoElement): void {
  if (video.paused) void video.play().catch(() => {})
  else video.pause()
}

/** Stops a video and shows the frame before (-1) or after (1) the present one. */
export function stepFrame(video: HTMLVideoElement | null, by: number): void {
  if (!video) return
  video.pause()
  video.currentTime = Math.max(0, video.currentTime + by * FRAME_S)
}

/** Returns whether a video has sound, as far as the browser tells: Chromium only once it has played some of it. */
export function hasSound(video: HTMLVideoElement): boolean {
  const { mozHasAudio, webkitAudioDecodedByteCount, audioTracks } = video as {
    readonly mozHasAudio?: boolean
    readonly webkitAudioDecodedByteCount?: number
    readonly audioTracks?: { readonly length: number }
  }
  return mozHasAudio ?? ((audioTracks?.length ?? 0) > 0 || (webkitAudioDecodedByteCount ?? 0) > 0)
}

const KEY = 'kinora.loop'

/** Whether films start again at their end. Kept in this browser. */
export function readLoop(): boolean {
  try {
    return localStorage.getItem(KEY) === '1'
  } catch {
    return false
  }
}

export function writeLoop(on: boolean): void {
  try {
    localStorage.setItem(KEY, on ? '1' : '')
  } catch {
    // Storage is unavailable: the choice is lost when the page closes.
  }
}
