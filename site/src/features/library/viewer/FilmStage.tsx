import { type RefObject, useEffect, useRef, useState } from 'react'
import type { Task } from '#backend/tasks/contract.ts'
import { translate } from '../../../i18n/client.ts'
import { taskTitle } from '../../../i18n/taskTitle.ts'
import { Fault } from '../../../ui/Field.tsx'

interface FilmStageProps {
  readonly film: Task
  /** The film beside it, which runs in sync. */
  readonly other?: Task | undefined
}

/** Seconds by which two films may differ before one is moved. */
const DRIFT_S = 0.08

/** Shows a film as large as the window allows, or two that run in sync. Films loop. */
export function FilmStage({ film, other }: FilmStageProps) {
  const lead = useRef<HTMLVideoElement>(null)
  const follower = useRef<HTMLVideoElement>(null)
  useSync(lead, follower, `${film.id} ${other?.id}`)
  return (
    <div className="viewer-films" data-compare={other ? '' : undefined}>
      <Film key={film.id} film={film} video={lead} />
      {other && <Film key={`other ${other.id}`} film={other} video={follower} follows />}
    </div>
  )
}

/** Lets a video follow another: its time, its pauses and its speed. */
function useSync(
  lead: RefObject<HTMLVideoElement | null>,
  follower: RefObject<HTMLVideoElement | null>,
  films: string,
) {
  // biome-ignore lint/correctness/useExhaustiveDependencies: other films have other elements.
  useEffect(() => {
    const [from, to] = [lead.current, follower.current]
    if (!from || !to) return
    const sync = () => {
      const wanted = Math.min(from.currentTime, to.duration || 0)
      if (Math.abs(to.currentTime - wanted) > DRIFT_S) to.currentTime = wanted
      to.playbackRate = from.playbackRate
      // A shorter film waits at its end.
      const isOver = from.currentTime >= (to.duration || Number.POSITIVE_INFINITY)
      if (from.paused || isOver) to.pause()
      else if (to.paused) void to.play().catch(() => {})
    }
    const events = ['play', 'pause', 'seeking', 'seeked', 'timeupdate', 'ratechange'] as const
    for (const name of events) from.addEventListener(name, sync)
    to.addEventListener('loadedmetadata', sync)
    return () => {
      for (const name of events) from.removeEventListener(name, sync)
      to.removeEventListener('loadedmetadata', sync)
    }
  }, [lead, follower, films])
}

interface FilmProps {
  readonly film: Task
  readonly video: RefObject<HTMLVideoElement | null>
  readonly follows?: boolean
}

function Film({ film, video, follows = false }: FilmProps) {
  const t = translate()
  const [broken, setBroken] = useState(false)
  return (
    <figure className="viewer-film">
      <video
        ref={video}
        src={film.video_url ?? undefined}
        poster={film.thumbnail_url ?? undefined}
        aria-label={`${t('workspace.task.video')}: ${taskTitle(film)}`}
        controls={!follows}
        muted={follows}
        autoPlay={!follows}
        loop={!follows}
        playsInline
        onError={() => setBroken(true)}
      />
      <div role="alert">{broken && <Fault id={`fault-${film.id}`} text={t('workspace.task.playFailed')} />}</div>
    </figure>
  )
}
