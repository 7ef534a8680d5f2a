import { isMotionAllowed } from './motion.ts'

/** Plays the hero clip while it is in view, if autoplay is allowed. A button pauses and starts it. */
export function playHero(): void {
  const clip = document.querySelector<HTMLVideoElement>('#hero-clip')
  const button = document.querySelector<HTMLButtonElement>('#hero-switch')
  if (!clip || !button) return
  let playing = isMotionAllowed()
  let inView = false

  const update = () => {
    button.dataset.playing = String(playing)
    // The browser may block playback, for example to save power. The poster then stays visible.
    if (playing && inView) void clip.play().catch(() => {})
    else clip.pause()
  }
  clip.addEventListener('playing', () => {
    clip.dataset.shown = ''
  })
  button.addEventListener('click', () => {
    playing = !playing
    update()
  })
  button.hidden = false
  new IntersectionObserver(
    ([entry]) => {
      inView = entry?.isIntersecting ?? false
      update()
    },
    { threshold: 0.25 },
  ).observe(clip)
  update()
}
