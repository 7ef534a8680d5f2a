import { isMotionAllowed } from '../motion.ts'

/** Loads the camera rig when its section comes near or, without motion, when a control is used. */
export function setUpCamera(): void {
  const section = document.getElementById('camera')
  if (!section) return
  const load = () => void import('./rig.ts').then(({ startRig }) => startRig(section))
  if (!isMotionAllowed()) {
    for (const event of ['focusin', 'pointerover']) section.addEventListener(event, load, { once: true })
    return
  }
  const observer = new IntersectionObserver(
    ([entry]) => {
      if (!entry?.isIntersecting) return
      observer.disconnect()
      load()
    },
    { rootMargin: '400px' },
  )
  observer.observe(section)
}
