import { useStore } from '@nanostores/react'
import { startTransition, useState } from 'react'
import type { Task } from '#backend/tasks/contract.ts'
import { isFinal } from '../../api/taskProgress.ts'
import { translate } from '../../i18n/client.ts'
import { Button, IconButton } from '../../ui/Button.tsx'
import { Empty } from '../../ui/Empty.tsx'
import { keepFocus } from '../../ui/lists/keepFocus.ts'
import { Notice } from '../../ui/Notice.tsx'
import { showToast } from '../../ui/toasts/toasts.ts'
import { useBusy } from '../../ui/useBusy.ts'
import { LongWait } from '../../ui/waits/LongWait.tsx'
import { Unknown } from '../../ui/waits/Unknown.tsx'
import { $paused, refreshNow } from './freshness.ts'
import { $polling } from './realtime.ts'
import { $takes } from './stage/takes.ts'
import type { TaskView } from './TaskActions.tsx'
import { TaskDialog } from './TaskDialog.tsx'
import { TaskRow } from './TaskRow.tsx'
import { $inProgress, $loadingMore, $tasks, loadOlderTasks } from './tasks.ts'
import { QueueSkeleton } from './WorkspaceSkeleton.tsx'
import { $demo } from './workspace.ts'

/** Lists the user's open and finished tasks. */
export function QueueCard() {
  const t = translate()
  const list = useStore($tasks)
  const takes = useStore($takes)
  const inProgress = useStore($inProgress)
  const paused = useStore($paused)
  const polling = useStore($polling)
  const demo = useStore($demo)
  const [refreshing, run] = useBusy()
  const refresh = () => run(refreshNow)
  return (
    <section className="stack stack-wide panel card queue" aria-labelledby="queue-heading">
      <div className="row queue-head">
        <h2 id="queue-heading" className="panel-title">
          {t('workspace.queue.heading')}
        </h2>
        <span className="badge" data-tone={inProgress > 0 ? 'warning' : undefined} role="status">
          {list.status === 'ready' ? t('workspace.queue.inProgress', { count: inProgress }) : <Unknown />}
        </span>
        <IconButton icon="refresh" label={t('workspace.queue.refresh')} busy={refreshing} onClick={refresh} />
      </div>
      {paused && list.status === 'ready' && (
        <Notice tone="warning">
          <p>{t('workspace.queue.paused')}</p>
          <Button variant="outline" icon="refresh" busy={refreshing} onClick={refresh}>
            {t('workspace.queue.resume')}
          </Button>
        </Notice>
      )}
      {polling && !paused && list.tasks.some((task) => !isFinal(task)) && (
        <p className="hint" role="status">
          {t('workspace.realtime.polling')}
        </p>
      )}
      {list.status === 'loading' && (
        <>
          <LongWait onRetry={refreshNow} />
          <QueueSkeleton />
        </>
      )}
      {list.status === 'failed' && (
        <div className="empty centered stack gap-3" role="alert">
          <p>{t('workspace.queue.loadFailed')}</p>
          <Button label={t('common.action.retry')} icon="refresh" onClick={refresh} busy={refreshing} />
        </div>
      )}
      {list.status === 'ready' && (list.tasks.length === 0 ? <NoTasks /> : <Rows tasks={takes} total={list.total} />)}
      <p className="hint">{t(demo ? 'workspace.label.noteDemo' : 'workspace.label.note')}</p>
    </section>
  )
}

function Rows({ tasks, total }: { tasks: readonly Task[]; total: number }) {
  const t = translate()
  const [view, setView] = useState<TaskView | null>(null)
  return (
    <>
      <ul className="tasks stack gap-3" ref={keepFocus} aria-label={t('workspace.queue.list')}>
        {tasks.map((task) => (
          <TaskRow key={task.id} task={task} onView={(kind) => startTransition(() => setView({ kind, task }))} />
        ))}
      </ul>
      {total > tasks.length && <More shown={tasks.length} total={total} />}
      {view && <TaskDialog view={view} onView={setView} />}
    </>
  )
}

function More({ shown, total }: { shown: number; total: number }) {
  const t = translate()
  const loading = useStore($loadingMore)
  const load = () => void loadOlderTasks().catch(() => showToast('danger', t('workspace.queue.loadFailed')))
  return (
    <div className="row row-wide spread">
      <span className="hint">{t('workspace.queue.shown', { shown, total })}</span>
      <Button label={t('workspace.queue.more')} variant="outline" busy={loading} onClick={load} />
    </div>
  )
}

function NoTasks() {
  const t = translate()
  const start = () => {
    const prompt = document.getElementById('prompt')
    prompt?.scrollIntoView({ block: 'center' })
    prompt?.focus({ preventScroll: true })
  }
  return (
    <Empty title={<h3>{t('workspace.queue.emptyTitle')}</h3>} text={t('workspace.queue.emptyText')}>
      <Button label={t('workspace.queue.create')} variant="primary" icon="spark" onClick={start} />
    </Empty>
  )
}
