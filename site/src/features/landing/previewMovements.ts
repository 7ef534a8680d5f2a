import { motionWelcome } from './motion.ts'

/** Moves a movement's picture while it is pointed at or focused, one at a time. A press asks for it in any case. */
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
    Object.assign(clip, { src: tile.dataset.clip, muted: true, loop: true, playsInline: true })
    clip.addEventListener('playing', () => {
      clip.dataset.shown = ''
    })
    tile.querySelector('.move-picture')?.append(clip)
    playing = { tile, clip }
    void clip.play().catch(() => stop(tile))
  }

  for (const tile of grid.querySelectorAll<HTMLElement>('[data-clip]')) {
    // A finger's contact is followed by a click, which decides.
    tile.addEventListener('pointerenter', (event) => event.pointerType === 'mouse' && motionWelcome() && play(tile))
    tile.addEventListener('pointerleave', (event) => event.pointerType === 'mouse' && stop(tile))
    tile.addEventListener('focus', () => tile.matches(':focus-visible') && motionWelcome() && play(tile))
    tile.addEventListener('blur', () => stop(tile))
    tile.addEventListener('click', (event) => {
      if ((event as PointerEvent).pointerType === 'mouse' && motionWelcome()) return
      if (playing?.tile === tile) stop()
      else play(tile)
    })
  }
}
