import { isMotionAllowed } from './motion.ts'

/** Plays movement clips on hover or focus, one at a time. A click plays a clip even if autoplay is not allowed. */
export function previewMovements(): void {
  const grid = document.getElementById('movements')
  if (!grid) return
  let playing: { tile: HTMLElement; clip: HTMLVideoElement } | undefined

  const stop = (tile = playing?.tile) => {
    if (!playing || playing.tile !== tile) return
    playing.clip.remove()
    playing = undefined
  }
  const play = (tile: HTMLElement) => {
    if (playing?.tile === tile) return
    stop()
    const clip = document.createElement('video')
    Object.assign(clip, { className: 'cover', src: tile.dataset.clip, muted: true, loop: true, playsInline: true })
    clip.addEventListener('playing', () => {
      clip.dataset.shown = ''
    })
    tile.querySelector('.move-picture')?.append(clip)
    playing = { tile, clip }
    void clip.play().catch(() => stop(tile))
  }

  for (const tile of grid.querySelectorAll<HTMLElement>('[data-clip]')) {
    // Touch input also fires pointer events, but only its click plays the clip.
    tile.addEventListener('pointerenter', (event) => event.pointerType === 'mouse' && isMotionAllowed() && play(tile))
    tile.addEventListener('pointerleave', (event) => event.pointerType === 'mouse' && stop(tile))
    tile.addEventListener('focus', () => tile.matches(':focus-visible') && isMotionAllowed() && play(tile))
    tile.addEventListener('blur', () => stop(tile))
    tile.addEventListener('click', (event) => {
      if ((event as PointerEvent).pointerType === 'mouse' && isMotionAllowed()) return
      if (playing?.tile === tile) stop()
      else play(tile)
    })
  }
}
