import { type RefObject, useEffect, useRef } from 'react'
import { isMotionReduced } from './isMotionReduced.ts'

interface MovingPictureProps {
  readonly still: string | undefined
  readonly clip: string
  /** Element that plays the clip on hover or focus if autoplay is off. */
  readonly surface: RefObject<HTMLElement | null>
}

/** A short, silent clip. It plays while visible or, under reduced motion, only on hover or focus. */
export function MovingPicture({ still, clip, surface }: MovingPictureProps) {
  const ref = useRef<HTMLVideoElement>(null)
  useEffect(() => {
    const video = ref.current
    const target = surface.current
    if (!video || !target) return
    const play = () => void video.play().catch(() => {})
    const rest = () => video.pause()
    if (isMotionReduced()) {
      const moves = ['pointerenter', 'focus'] as const
      const rests = ['pointerleave', 'blur'] as const
      for (const name of moves) target.addEventListener(name, play)
      for (const name of rests) target.addEventListener(name, rest)
      return () => {
        for (const name of moves) target.removeEventListener(name, play)
        for (const name of rests) target.removeEventListener(name, rest)
      }
    }
    const sight = new IntersectionObserver(([entry]) => (entry?.isIntersecting ? play() : rest()))
    sight.observe(video)
    return () => sight.disconnect()
  }, [surface])
  return (
    <video
      ref={ref}
      className="moving-picture"
      src={clip}
      poster={still}
      width={320}
      height={180}
      muted
      loop
      playsInline
      preload="none"
      disablePictureInPicture
      aria-hidden="true"
      tabIndex={-1}
    />
  )
}
