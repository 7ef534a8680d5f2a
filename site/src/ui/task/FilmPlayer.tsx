import { type RefObject, useEffect, useRef, useState } from 'react'
import type { Task } from '#backend/tasks/contract.ts'
import { translate } from '../../i18n/client.ts'
import { lengthText } from '../../i18n/lengthText.ts'
import { IconButton } from '../Button.tsx'
import { Icon } from '../Icon.tsx'
import { isMotionReduced } from '../isMotionReduced.ts'
import { hasSound, readLoop, SPEEDS, stepFrame, togglePlay, writeLoop } from './playback.ts'

interface FilmPlayerProps {
  readonly task: Task
  readonly label: string
  readonly id?: string
}

/** Whether films of this page play with their sound: browsers forbid it before the user has asked for it. */
let isHeard = false

/** Plays a finished video once, without sound at first. Under reduced motion it waits for the viewer. */
export function FilmPlayer({ task, label, id }: FilmPlayerProps) {
  const t = translate()
  const ref = useRef<HTMLVideoElement>(null)
  const [{ paused, time, duration, sound }, setState] = useState({ paused: true, time: 0, duration: 0, sound: false })
  const [loop, setLoop] = useState(readLoop)
  const [muted, setMuted] = useState(!isHeard)
  const [speed, setSpeed] = useState(1)
  const read = () => {
    const video = ref.current
    if (!video) return
    const { paused, currentTime: time, duration } = video
    setState({ paused, time, duration: duration || 0, sound: hasSound(video) })
  }
  useEffect(() => {
    const video = ref.current
    if (!video) return
    // The property, because React does not set the attribute.
    video.muted = muted
    video.playbackRate = speed
  }, [muted, speed])
  useEffect(() => {
    if (!isMotionReduced()) void ref.current?.play().catch(() => {})
  }, [])
  const play = () => ref.current && togglePlay(ref.current)
  return (
    <>
      {/* biome-ignore lint/a11y/useMediaCaption: films have no captions. */}
      <video
        ref={ref}
        id={id}
        src={task.video_url ?? undefined}
        poster={task.thumbnail_url ?? undefined}
        aria-label={label}
        loop={loop}
        playsInline
        preload="metadata"
        onClick={play}
        onPlay={read}
        onPause={read}
        onTimeUpdate={read}
        onSeeked={read}
        onLoadedData={read}
      />
      {paused && (
        <button type="button" className="film-play middle" aria-label={t('common.player.play')} onClick={play}>
          <Icon name="play" />
        </button>
      )}
      <fieldset className="film-controls line" aria-label={t('common.player.label')} data-paused={paused || undefined}>
        <IconButton
          icon={paused ? 'play' : 'pause'}
          label={t(paused ? 'common.player.play' : 'common.player.pause')}
          onClick={play}
        />
        <IconButton icon="left" label={t('common.player.back')} onClick={() => stepFrame(ref.current, -1)} />
        <IconButton icon="right" label={t('common.player.forward')} onClick={() => stepFrame(ref.current, 1)} />
        <Position {...{ video: ref, time, duration, speed, setSpeed }} />
        <Toggles {...{ video: ref, sound, muted, loop, setLoop, setMuted }} />
      </fieldset>
    </>
  )
}

interface PositionProps {
  readonly video: RefObject<HTMLVideoElement | null>
  /** Seconds. */
  readonly time: number
  readonly duration: number
  readonly speed: number
  readonly setSpeed: (speed: number) => void
}

function Position({ video, time, duration, speed, setSpeed }: PositionProps) {
  const t = translate()
  return (
    <>
      <input
        type="range"
        className="grow"
        aria-label={t('common.player.position')}
        aria-valuetext={lengthText(time, t)}
        min={0}
        max={duration || 1}
        step={0.04}
        value={time}
        onChange={({ currentTarget }) => {
          if (video.current) video.current.currentTime = Number(currentTarget.value)
        }}
      />
      <select
        className="film-speed"
        aria-label={t('common.player.speed')}
        value={speed}
        onChange={({ currentTarget }) => setSpeed(Number(currentTarget.value))}
      >
        {SPEEDS.map((one) => (
          <option key={one} value={one}>
            {one}×
          </option>
        ))}
      </select>
    </>
  )
}

interface TogglesProps {
  readonly video: RefObject<HTMLVideoElement | null>
  readonly sound: boolean
  readonly muted: boolean
  readonly loop: boolean
  readonly setLoop: (on: boolean) => void
  readonly setMuted: (on: boolean) => void
}

function Toggles({ video, sound, muted, loop, setLoop, setMuted }: TogglesProps) {
  const t = translate()
  return (
    <>
      <IconButton
        icon="repeat"
        label={t('common.player.loop')}
        aria-pressed={loop}
        onClick={() => {
          writeLoop(!loop)
          setLoop(!loop)
        }}
      />
      <IconButton
        icon={sound && !muted ? 'sound' : 'mute'}
        label={t(sound ? 'common.player.sound' : 'common.player.silent')}
        aria-pressed={sound && !muted}
        disabled={!sound}
        onClick={() => {
          isHeard = muted
          setMuted(!muted)
        }}
      />
      <IconButton
        icon="enlarge"
        label={t('common.player.fullScreen')}
        onClick={() => void video.current?.parentElement?.requestFullscreen?.().catch(() => {})}
      />
    </>
  )
}
