import { isMotionAllowed } from './motion.ts'

/** Plays the templates in sight, or the one under the pointer or the focus if motion is not welcome. */
export function playTemplates(): void {
  const sight = new IntersectionObserver((entries) => {
    for (const { target, isIntersecting } of entries) {
      const clip = target as HTMLVideoElement
      if (isIntersecting) void clip.play().catch(() => {})
      else clip.pause()
    }
  })
  for (const clip of document.querySelectorAll<HTMLVideoElement>('#templates video')) {
    if (isMotionAllowed()) sight.observe(clip)
    else
      for (const [name, act] of [
        ['pointerenter', 'play'],
        ['focus', 'play'],
        ['pointerleave', 'pause'],
        ['blur', 'pause'],
      ] as const)
        clip.parentElement?.addEventListener(name, () => void Promise.resolve(clip[act]()).catch(() => {}))
  }
}
