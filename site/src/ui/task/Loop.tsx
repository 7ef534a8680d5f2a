import { useEffect, useRef } from 'react'
import type { Task } from '#backend/tasks/contract.ts'
import { isMotionReduced } from '../isMotionReduced.ts'

interface LoopProps {
  readonly task: Task
  readonly label: string
  readonly id?: string
}

/** Plays a finished video in a loop without sound. Under reduced motion it waits for the viewer. */
export function Loop({ task, label, id }: LoopProps) {
  const video = useRef<HTMLVideoElement>(null)
  useEffect(() => {
    // The property, because React does not set the attribute, and a video with sound may not start by itself.
    if (video.current) video.current.muted = true
    if (!isMotionReduced()) void video.current?.play().catch(() => {})
  }, [])
  return (
    <video
      ref={video}
      id={id}
      src={task.video_url ?? undefined}
      poster={task.thumbnail_url ?? undefined}
      aria-label={label}
      muted
      loop
      controls
      playsInline
      preload="metadata"
    />
  )
}
