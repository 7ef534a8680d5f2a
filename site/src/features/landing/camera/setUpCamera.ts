import { isMotionAllowed } from '../motion.ts'

/** Loads the camera rig when its section comes near or, without motion, when a control is used. */
export function setUpCamera(): void {
  const section = document.getElementById('camera')
  if (!section) return
  const load = () => import('./rig.ts').then(({ startRig }) => startRig(section))
  // A button that is pressed before the rig has loaded is pressed again when it has.
  section.addEventListener('click', ({ target }) => {
    if (section.dataset.started === undefined) void load().then(() => (target as Element).closest('button')?.click())
  })
  if (!isMotionAllowed()) {
    for (const event of ['focusin', 'pointerover']) section.addEventListener(event, () => void load(), { once: true })
    return
  }
  const observer = new IntersectionObserver(
    ([entry]) => {
      if (!entry?.isIntersecting) return
      observer.disconnect()
      void load()
    },
    { rootMargin: '400px' },
  )
  observer.observe(section)
}
