import { type FormEvent, useId, useRef, useState } from 'react'
import {
  CLIP_MIN_SECONDS,
  JOIN_MAX_CLIPS,
  JOIN_MAX_SECONDS,
  JOIN_MIN_CLIPS,
  JOIN_TITLE_MAX,
  joinedSeconds,
  longestFade,
} from '#backend/tasks/contract.ts'
import { translate } from '../../../i18n/client.ts'
import { taskTitle } from '../../../i18n/taskTitle.ts'
import { Button, IconButton } from '../../../ui/Button.tsx'
import { Dialog } from '../../../ui/Dialog.tsx'
import { useBusy } from '../../../ui/useBusy.ts'
import { AddClip } from './AddClip.tsx'
import { $edited, type Clip, clipOf, FADES, fadeOf, lengthOf, startJoin } from './joins.ts'
import './join.css'

interface JoinDialogProps {
  readonly clips: readonly Clip[]
  readonly onClips: (clips: readonly Clip[]) => void
  readonly onClose: () => void
}

/** Puts clips in order, trims them, and joins them to one film. */
export function JoinDialog({ clips, onClips, onClose }: JoinDialogProps) {
  const t = translate()
  const id = useId()
  const [edited] = useState($edited.get())
  const [title, setTitle] = useState(edited?.prompt ?? '')
  const [fade, setFade] = useState(edited ? fadeOf(edited) : 0)
  const [busy, run] = useBusy()
  const total = joinedSeconds(lengthsOf(clips), fade)
  const move = (from: number, to: number) => {
    const order = clips.toSpliced(from, 1)
    onClips(order.toSpliced(to, 0, clips[from]!))
  }
  const fault = faultOf(clips, fade)
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (fault || busy) return
    const parts = clips.map(({ film, start, end }) => ({ id: film.id, start, end }))
    run(async () => void (await startJoin({ clips: parts, fade, title: title.trim() || t('library.join.untitled') })))
  }
  return (
    <Dialog size={800} title={t('library.join.heading')} onClose={onClose} busy={busy}>
      <form className="stack gap-3" onSubmit={submit}>
        <label className="label" htmlFor={`${id}-title`}>
          {t('library.join.title')}
        </label>
        <input
          className="input"
          id={`${id}-title`}
          maxLength={JOIN_TITLE_MAX}
          autoComplete="off"
          dir="auto"
          placeholder={t('library.join.untitled')}
          value={title}
          onChange={(event) => setTitle(event.target.value)}
        />
        <ol className="join-clips plain stack gap-2">
          {clips.map((clip, n) => (
            <ClipRow
              key={clip.key}
              clip={clip}
              place={n}
              count={clips.length}
              onChange={(change) => onClips(clips.with(n, { ...clip, ...change }))}
              onMove={(to) => move(n, to)}
              onRemove={() => onClips(clips.toSpliced(n, 1))}
            />
          ))}
        </ol>
        {clips.length < JOIN_MAX_CLIPS && <AddClip onAdd={(film) => onClips([...clips, clipOf(film)])} />}
        <FadeField value={fade} onChange={setFade} />
        <p className="hint">{t('library.join.sizeHint')}</p>
        <p className="join-fault" role="alert">
          {fault}
        </p>
        <Button
          type="submit"
          variant="primary"
          icon="film"
          busy={busy}
          disabled={fault !== undefined}
          label={t('library.join.start', { seconds: Math.max(0, Math.round(total * 10) / 10) })}
        />
      </form>
    </Dialog>
  )
}

const lengthsOf = (clips: readonly Clip[]) => clips.map(({ start, end }) => end - start)

/** Returns why the clips cannot be joined, for the user, or undefined if they can. */
function faultOf(clips: readonly Clip[], fade: number): string | undefined {
  const t = translate()
  const lengths = lengthsOf(clips)
  if (clips.length < JOIN_MIN_CLIPS) return t('errors.too_few_clips')
  if (clips.length > JOIN_MAX_CLIPS) return t('errors.too_many_clips')
  // An empty field makes the length NaN.
  if (lengths.some((length) => !(length >= CLIP_MIN_SECONDS - 0.001))) return t('errors.clip_too_short')
  if (fade > longestFade(lengths) + 0.001) return t('errors.fade_too_long')
  return joinedSeconds(lengths, fade) > JOIN_MAX_SECONDS ? t('errors.join_too_long') : undefined
}

interface FadeFieldProps {
  readonly value: number
  readonly onChange: (seconds: number) => void
}

function FadeField({ value, onChange }: FadeFieldProps) {
  const t = translate()
  const id = useId()
  return (
    <>
      <label className="label" htmlFor={id}>
        {t('library.join.fade')}
      </label>
      <select className="input" id={id} value={value} onChange={(event) => onChange(Number(event.target.value))}>
        {FADES.map((seconds) => (
          <option key={seconds} value={seconds}>
            {seconds === 0 ? t('library.join.noFade') : t('library.join.seconds', { seconds })}
          </option>
        ))}
      </select>
    </>
  )
}

interface ClipRowProps {
  readonly clip: Clip
  readonly place: number
  readonly count: number
  readonly onChange: (change: Partial<Pick<Clip, 'start' | 'end'>>) => void
  readonly onMove: (to: number) => void
  readonly onRemove: () => void
}

function ClipRow({ clip, place, count, onChange, onMove, onRemove }: ClipRowProps) {
  const t = translate()
  const { film, start, end } = clip
  const video = useRef<HTMLVideoElement>(null)
  const length = Math.round(lengthOf(film) * 10) / 10
  /** Shows the frame at which the clip is cut. */
  const trim = (side: 'start' | 'end') => (seconds: number) => {
    onChange({ [side]: side === 'end' && seconds >= length ? lengthOf(film) : seconds })
    if (video.current && Number.isFinite(seconds)) video.current.currentTime = seconds
  }
  const title = taskTitle(film)
  return (
    <li className="join-clip">
      <video
        ref={video}
        src={film.video_url ?? undefined}
        poster={film.thumbnail_url ?? undefined}
        muted
        playsInline
        preload="none"
        aria-hidden="true"
        tabIndex={-1}
      />
      <div className="min-0 join-trim">
        <p className="ellipsis">
          {place + 1}. {title}
        </p>
        <div className="line">
          <Seconds label={t('library.join.from', { title })} value={start} max={length} onChange={trim('start')} />
          <span aria-hidden="true">–</span>
          <Seconds
            label={t('library.join.to', { title })}
            value={Math.round(end * 10) / 10}
            max={length}
            onChange={trim('end')}
          />
          <span className="hint">{t('library.join.ofSeconds', { seconds: length })}</span>
        </div>
      </div>
      <div className="line">
        <IconButton
          icon="up"
          label={t('library.join.earlier', { title })}
          disabled={place === 0}
          onClick={() => onMove(place - 1)}
        />
        <IconButton
          icon="down"
          label={t('library.join.later', { title })}
          disabled={place === count - 1}
          onClick={() => onMove(place + 1)}
        />
        <IconButton icon="close" label={t('library.join.remove', { title })} onClick={onRemove} />
      </div>
    </li>
  )
}

interface SecondsProps {
  readonly label: string
  readonly value: number
  readonly max: number
  readonly onChange: (seconds: number) => void
}

const Seconds = ({ label, value, max, onChange }: SecondsProps) => (
  <input
    className="input"
    type="number"
    inputMode="decimal"
    aria-label={label}
    min={0}
    max={max}
    step={0.1}
    value={Number.isNaN(value) ? '' : value}
    onChange={(event) => onChange(event.target.valueAsNumber)}
  />
)
