import { motionWelcome } from './motion.ts'

/**
 * Plays the hero's clip while it is in view and motion is welcome. Its switch pauses it for good, or starts it for readers
 * to whom it does not come by itself.
 */
export function playHero(): void {
  const clip = document.querySelector<HTMLVideoElement>('#hero-clip')
  const button = document.querySelector<HTMLButtonElement>('#hero-switch')
  if (!clip || !button) return
  let wanted = motionWelcome()
  let inView = false

  const follow = () => {
    button.dataset.playing = String(wanted)
    // A browser may refuse to play, to save power for one: the poster stays.
    if (wanted && inView) void clip.play().catch(() => {})
    else clip.pause()
  }
  clip.addEventListener('playing', () => {
    clip.dataset.shown = ''
  })
  button.addEventListener('click', () => {
    wanted = !wanted
    follow()
  })
  button.hidden = false
  new IntersectionObserver(
    ([entry]) => {
      inView = entry?.isIntersecting ?? false
      follow()
    },
    { threshold: 0.25 },
  ).observe(clip)
  follow()
}
