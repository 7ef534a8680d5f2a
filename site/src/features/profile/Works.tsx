import { useStore } from '@nanostores/react'
import { useState } from 'react'
import type { Task } from '#backend/tasks/contract.ts'
import { $busyTasks } from '../../api/taskActions.ts'
import { localHref, translate } from '../../i18n/client.ts'
import { dayText } from '../../i18n/dayText.ts'
import { lengthText } from '../../i18n/lengthText.ts'
import { taskTitle } from '../../i18n/taskTitle.ts'
import { IconButton, LinkButton } from '../../ui/Button.tsx'
import { ConfirmDialog } from '../../ui/ConfirmDialog.tsx'
import { Empty } from '../../ui/Empty.tsx'
import { Icon } from '../../ui/Icon.tsx'
import { keepFocus } from '../../ui/lists/keepFocus.ts'
import { DownloadLink } from '../../ui/task/DownloadLink.tsx'
import { Placeholder } from '../../ui/task/Placeholder.tsx'
import { TaskPlayer } from '../../ui/task/TaskPlayer.tsx'
import { PagedSection } from './PagedSection.tsx'
import { deleteWork, WORKS_PER_PAGE, works, worksFailure } from './works.ts'

/** Lists the user's finished videos. */
export function Works() {
  const t = translate()
  return (
    <section className="stack stack-wide profile-section" id="works" aria-labelledby="works-heading">
      <div className="row spread">
        <h2 id="works-heading">{t('works.heading')}</h2>
        <a href={localHref('/library')}>{t('works.all')}</a>
      </div>
      <PagedSection
        list={works}
        label={t('works.heading')}
        texts="works"
        failure={worksFailure}
        jumper
        skeleton={<Skeleton />}
        empty={<NoWorks />}
      >
        {(tasks) => <Gallery tasks={tasks} />}
      </PagedSection>
    </section>
  )
}

function Gallery({ tasks }: { tasks: readonly Task[] }) {
  const t = translate()
  const [view, setView] = useState<{ kind: 'play' | 'remove'; task: Task } | null>(null)
  const close = () => setView(null)
  return (
    <>
      <ul className="works stack gap-3" ref={keepFocus} aria-label={t('works.heading')}>
        {tasks.map((task) => (
          <Work key={task.id} task={task} onView={(kind) => setView({ kind, task })} />
        ))}
      </ul>
      {view?.kind === 'play' && <TaskPlayer task={view.task} onClose={close} />}
      {view?.kind === 'remove' && <Removal task={view.task} onClose={close} />}
    </>
  )
}

const TITLE_MAX = 25

function shortTitle(task: Task): string {
  const title = [...taskTitle(task)]
  return title.length > TITLE_MAX ? `${title.slice(0, TITLE_MAX).join('').trimEnd()}…` : title.join('')
}

interface WorkProps {
  readonly task: Task
  readonly onView: (kind: 'play' | 'remove') => void
}

function Work({ task, onView }: WorkProps) {
  const t = translate()
  const busy = useStore($busyTasks).get(task.id)
  const title = shortTitle(task)
  return (
    <li className="card work min-0" data-task={task.id} aria-busy={busy === 'remove'}>
      <button type="button" className="task-picture clip" onClick={() => onView('play')}>
        {task.thumbnail_url ? <img src={task.thumbnail_url} alt="" loading="lazy" /> : <Placeholder />}
        <span className="task-play middle">
          <Icon name="play" />
        </span>
        <span className="sr-only">{t('works.play', { title })}</span>
      </button>
      <div className="work-body stack">
        <h3 className="work-title" title={taskTitle(task)}>
          {title}
        </h3>
        <p className="row hint work-meta">
          <span>
            {lengthText(task.video_duration ?? task.duration, t)} · {task.resolution}
          </span>
          <time dateTime={task.created_at}>{dayText(task.created_at, 'medium')}</time>
        </p>
        <div className="work-foot">
          <DownloadLink task={task} label={t('works.download', { title })} />
          <IconButton
            icon="trash"
            danger
            label={t('works.remove', { title })}
            busy={busy === 'remove'}
            onClick={() => onView('remove')}
          />
        </div>
      </div>
    </li>
  )
}

function Removal({ task, onClose }: { task: Task; onClose: () => void }) {
  const t = translate()
  return (
    <ConfirmDialog
      title={t('works.delete.title')}
      confirm={t('works.delete.confirm')}
      onConfirm={() => void deleteWork(task)}
      onClose={onClose}
    >
      <p>{t('works.delete.text')}</p>
      <p className="muted excerpt">{taskTitle(task)}</p>
    </ConfirmDialog>
  )
}

function NoWorks() {
  const t = translate()
  return (
    <Empty picture className="card" title={<h3>{t('works.emptyTitle')}</h3>} text={t('works.emptyText')}>
      <LinkButton label={t('works.create')} variant="primary" to="/workspace" />
    </Empty>
  )
}

function Skeleton() {
  return (
    <div className="works stack gap-3" aria-hidden="true">
      {Array.from({ length: WORKS_PER_PAGE }, (_, place) => `place ${place}`).map((place) => (
        <div className="skeleton work-skeleton" key={place} />
      ))}
    </div>
  )
}
