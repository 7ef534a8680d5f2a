import { useStore } from '@nanostores/react'
import { type CSSProperties, useEffect, useRef } from 'react'
import type { Task } from '#backend/tasks/contract.ts'
import { isFinal, stillOf } from '../../../api/taskProgress.ts'
import { translate } from '../../../i18n/client.ts'
import { taskTitle } from '../../../i18n/taskTitle.ts'
import { Icon } from '../../../ui/Icon.tsx'
import { Placeholder } from '../../../ui/task/Placeholder.tsx'
import { $estimates } from '../queue.ts'
import { $shownPercent } from '../shownPercent.ts'
import { endText, isCancelled, statusText } from '../tasks.ts'
import { filmState } from './Film.tsx'
import { $current, $takes, showTake } from './takes.ts'

/** All takes in the order of the queue, the finished ones after a divider. */
export function Filmstrip() {
  const t = translate()
  const takes = useStore($takes)
  const current = useStore($current)
  const divider = takes.findIndex(isFinal)
  return (
    <ol
      className="filmstrip"
      aria-label={t('workspace.stage.takes')}
      onFocus={({ target }) => target.scrollIntoView({ block: 'nearest', inline: 'nearest' })}
    >
      {takes.map((task, at) => (
        <li key={task.id} data-divided={(at === divider && at > 0) || undefined}>
          <Take task={task} isCurrent={task.id === current?.id} />
        </li>
      ))}
    </ol>
  )
}

function Take({ task, isCurrent }: { readonly task: Task; readonly isCurrent: boolean }) {
  const t = translate()
  const position = useStore($estimates).get(task.id)?.position
  const state = filmState(task)
  const still = stillOf(task)
  const percent = useStore($shownPercent)(task)
  const note = {
    waiting: position ? t('workspace.stage.waiting', { position }) : t('workspace.status.Queueing'),
    rendering: percent === null ? statusText(task) : `${percent}%`,
    finished: '',
    failed: endText(task),
  }[state]
  const button = useRef<HTMLButtonElement>(null)
  useEffect(() => {
    const strip = button.current?.closest('ol')
    if (!isCurrent || !strip || !button.current) return
    // Scrolls the strip only, not the page.
    const { offsetLeft, offsetWidth } = button.current
    strip.scrollTo({ left: offsetLeft - (strip.clientWidth - offsetWidth) / 2 })
  }, [isCurrent])
  return (
    <button
      ref={button}
      type="button"
      className="take rounded clip"
      data-take={task.id}
      data-state={state}
      aria-current={isCurrent || undefined}
      aria-label={note ? `${taskTitle(task)}, ${note}` : taskTitle(task)}
      style={{ '--part': (percent ?? 0) / 100 } as CSSProperties}
      onClick={() => showTake(task.id)}
    >
      {still ? <img src={still} alt="" loading="lazy" /> : <Placeholder />}
      {note && (
        <span className="take-note line gap-1" aria-hidden="true">
          {state === 'failed' && !isCancelled(task) && <Icon name="alert" />}
          {note}
        </span>
      )}
    </button>
  )
}
