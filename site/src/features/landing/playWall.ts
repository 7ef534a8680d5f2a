import { isMotionAllowed } from './motion.ts'

/** Clips that play at a time, on phones and elsewhere. */
const MOST = { narrow: 3, wide: 8 }

/** Returns the clip of a tile. Makes it when the tile first plays, so that posters load first. */
function clipOf(tile: HTMLElement): HTMLVideoElement {
  const made = tile.querySelector('video')
  const clip = made ?? document.createElement('video')
  if (!made) {
    const silent = { muted: true, loop: true, playsInline: true, ariaHidden: 'true', tabIndex: -1 }
    Object.assign(clip, { className: 'cover', src: tile.dataset.clip, ...silent })
    tile.querySelector('img')?.after(clip)
  }
  clip.onplaying = () => {
    clip.dataset.shown = ''
  }
  return clip
}

/** Plays the visible clips of the wall, if autoplay is allowed. A button pauses and starts them. */
export function playWall(): void {
  const button = document.querySelector<HTMLButtonElement>('#hero-switch')
  const wall = document.getElementById('wall')
  if (!button || !wall) return
  const tilesLike = (selector: string) => wall.querySelectorAll<HTMLElement>(selector)
  const tiles = [...tilesLike('.tile-lead'), ...tilesLike('.tile:not(.tile-lead)')]
  const most = innerWidth < 768 ? MOST.narrow : MOST.wide
  const visible = new Set<HTMLElement>()
  let playing = isMotionAllowed()

  const update = () => {
    button.dataset.playing = String(playing)
    wall.classList.toggle('wall-moving', playing)
    const chosen = new Set(playing ? tiles.filter((tile) => visible.has(tile)).slice(0, most) : [])
    for (const tile of tiles) {
      // The browser may block playback, for example to save power. The poster then stays visible.
      if (chosen.has(tile))
        void clipOf(tile)
          .play()
          .catch(() => {})
      else tile.querySelector('video')?.pause()
    }
  }
  button.addEventListener('click', () => {
    playing = !playing
    update()
  })
  button.hidden = false
  const observer = new IntersectionObserver(
    (entries) => {
      for (const { target, isIntersecting } of entries) {
        visible[isIntersecting ? 'add' : 'delete'](target as HTMLElement)
      }
      update()
    },
    { threshold: 0.45 },
  )
  for (const tile of tiles) observer.observe(tile)
  update()
}
