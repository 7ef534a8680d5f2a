import { memo, useEffect, useRef, useState } from 'react'
import type { Task } from '#backend/tasks/contract.ts'
import { translate } from '../../i18n/client.ts'
import { lengthText } from '../../i18n/lengthText.ts'
import { taskTitle } from '../../i18n/taskTitle.ts'
import { Icon } from '../../ui/Icon.tsx'
import { Placeholder } from '../../ui/task/Placeholder.tsx'
import { setMarks } from './marks.ts'
import { toggle } from './selection.ts'

interface TileProps {
  readonly task: Task
  /** Left, top, width and height in CSS pixels: numbers, so that a tile that stays in place is not rendered again. */
  readonly left: number
  readonly top: number
  readonly width: number
  readonly height: number
  /** From 1. */
  readonly position: number
  readonly favourite: boolean
  /** Undefined while no videos can be selected. */
  readonly selected: boolean | undefined
  readonly onOpen: (task: Task) => void
}

/** A video of the grid. It plays while the pointer or the focus is on it. */
export const Tile = memo(function Tile({ task, position, favourite, selected, onOpen, ...place }: TileProps) {
  const t = translate()
  const { playing, play, rest } = usePlay()
  const title = taskTitle(task)
  const selecting = selected !== undefined
  return (
    <li
      className="library-tile"
      style={place}
      data-task={task.id}
      data-selected={selected}
      aria-setsize={-1}
      aria-posinset={position}
      onPointerEnter={play}
      onPointerLeave={rest}
    >
      <button
        type="button"
        className="library-open"
        aria-label={t('works.play', { title })}
        aria-hidden={selecting || undefined}
        tabIndex={selecting ? -1 : undefined}
        onFocus={play}
        onBlur={rest}
        onClick={() => (selecting ? toggle(task.id) : onOpen(task))}
      >
        {task.thumbnail_url ? <img src={task.thumbnail_url} alt="" decoding="async" /> : <Placeholder />}
        {playing && task.video_url && (
          <video
            src={task.video_url}
            muted
            loop
            playsInline
            autoPlay
            disablePictureInPicture
            aria-hidden="true"
            tabIndex={-1}
          />
        )}
        <span className="library-caption">
          {title}
          <small>{`${lengthText(task.video_duration ?? task.duration, t)} · ${task.resolution}`}</small>
        </span>
      </button>
      {selecting ? (
        <label className="library-pick">
          <input type="checkbox" aria-label={title} checked={selected} onChange={() => toggle(task.id)} />
        </label>
      ) : (
        <button
          type="button"
          className="library-heart"
          aria-label={t('library.favourite', { title })}
          aria-pressed={favourite}
          onClick={() => void setMarks([task.id], { favourite: !favourite })}
        >
          <Icon name="heart" />
        </button>
      )}
    </li>
  )
})

/** How long the pointer rests before a clip loads, ms. Tiles that scroll past load none. */
const REST_MS = 150

/** Returns whether a tile plays, and the handlers that decide on it. */
function usePlay() {
  const [playing, setPlaying] = useState(false)
  const timer = useRef(0)
  useEffect(() => () => clearTimeout(timer.current), [])
  const play = () => {
    // A slow device may play one video that the user points at.
    if (matchMedia('(prefers-reduced-motion: reduce)').matches) return
    clearTimeout(timer.current)
    timer.current = window.setTimeout(setPlaying, REST_MS, true)
  }
  const rest = () => {
    clearTimeout(timer.current)
    setPlaying(false)
  }
  return { playing, play, rest }
}
