import { useStore } from '@nanostores/react'
import { type CSSProperties, useEffect, useRef } from 'react'
import type { Task } from '#backend/tasks/contract.ts'
import { isWaiting, readStatus, stillOf } from '../../../api/taskProgress.ts'
import { translate } from '../../../i18n/client.ts'
import { FilmPlayer } from '../../../ui/task/FilmPlayer.tsx'
import { Placeholder } from '../../../ui/task/Placeholder.tsx'
import { $estimates } from '../queue.ts'
import { $shownPercent } from '../shownPercent.ts'
import { endText, failureText, statusText } from '../tasks.ts'
import { leftText } from './leftText.ts'
import { NextSteps } from './NextSteps.tsx'
import { tintFrom } from './tint.ts'

export type FilmState = 'waiting' | 'rendering' | 'finished' | 'failed'

export function filmState(task: Task): FilmState {
  const status = readStatus(task.status)
  if (status === 'Success') return 'finished'
  if (status === 'Fail') return 'failed'
  return isWaiting(task) ? 'waiting' : 'rendering'
}

const part = (value: number) => ({ '--part': value }) as CSSProperties

/** The canvas of the current take: the video, or what happens to it. */
export function Film({ task }: { readonly task: Task }) {
  const t = translate()
  const state = filmState(task)
  const percent = useStore($shownPercent)(task)
  const still = stillOf(task)
  const picture = useRef<HTMLImageElement>(null)
  useEffect(() => {
    const image = picture.current
    const target = image?.closest<HTMLElement>('.workspace')
    if (!image || !target || !still) return
    const tint = () => tintFrom(image, target)
    if (image.complete) tint()
    image.addEventListener('load', tint)
    return () => image.removeEventListener('load', tint)
  }, [still])
  return (
    <div className="film clip" data-state={state} style={part((percent ?? 0) / 100)}>
      <div className="film-picture">{still ? <img ref={picture} src={still} alt="" /> : <Placeholder />}</div>
      {state === 'finished' && task.video_url ? (
        <FilmPlayer key={task.id} id="film" task={task} label={t('workspace.stage.film')} />
      ) : (
        <div className="film-grain" aria-hidden="true" />
      )}
      {(state === 'waiting' || state === 'rendering') && <Progress task={task} state={state} />}
      {state === 'failed' && (
        <div className="film-slate stack gap-1 film-failed">
          <h3>{endText(task)}</h3>
          <p>{failureText(task)}</p>
          <p className="muted">{t('workspace.task.notCharged')}</p>
          <NextSteps task={task} />
        </div>
      )}
    </div>
  )
}

function Progress({ task, state }: { readonly task: Task; readonly state: 'waiting' | 'rendering' }) {
  const t = translate()
  const estimate = useStore($estimates).get(task.id)
  const percent = useStore($shownPercent)(task)
  const position = state === 'waiting' ? estimate?.position : undefined
  const big = position ? t('workspace.queue.ahead', { position }) : percent === null ? statusText(task) : `${percent}%`
  const facts = [
    big !== statusText(task) && statusText(task),
    state === 'rendering' && estimate && leftText(estimate.secondsLeft, t),
    state === 'waiting' && estimate && leftText(estimate.secondsLeft, t),
    t('workspace.stage.held', { count: task.credits_consumed }),
  ].filter((fact) => typeof fact === 'string')
  return (
    <div className="film-slate stack gap-1">
      <p className="film-big">{big}</p>
      <p className="row film-facts">
        {facts.map((fact) => (
          <span key={fact}>{fact}</span>
        ))}
      </p>
      <span className="film-line" aria-hidden="true" />
    </div>
  )
}
