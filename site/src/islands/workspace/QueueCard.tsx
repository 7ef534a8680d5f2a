import { useStore } from '@nanostores/react'
import { useState } from 'react'
import type { Task } from '#backend/tasks/contract.ts'
import { translate } from '../../i18n/client.ts'
import { $inProgress, $queue, $tasks } from '../../stores/tasks.ts'
import { $paused, refreshNow } from '../../stores/workspace.ts'
import { Button, IconButton } from '../../ui/Button.tsx'
import { Notice } from '../../ui/Notice.tsx'
import { Placeholder } from './Placeholder.tsx'
import { TaskDialog, type TaskView } from './TaskDialog.tsx'
import { TaskRow } from './TaskRow.tsx'

/** The user's videos, in the making and done. */
export function QueueCard() {
  const t = translate()
  const list = useStore($tasks)
  const inProgress = useStore($inProgress)
  const queue = useStore($queue)
  const paused = useStore($paused)
  // The place was read some seconds ago: a task that is being made by now has none.
  const waits = list.status === 'ready' && list.tasks.some(({ status }) => /^(Preparing|Queueing)$/.test(status))
  const [refreshing, setRefreshing] = useState(false)
  const refresh = async () => {
    setRefreshing(true)
    await refreshNow()
    setRefreshing(false)
  }
  return (
    <section className="panel card queue" aria-labelledby="queue-heading">
      <div className="queue-head">
        <h2 id="queue-heading" className="panel-title">
          {t('workspace.queue.heading')}
        </h2>
        <span className="badge" data-tone={inProgress > 0 ? 'warning' : undefined} role="status">
          {t('workspace.queue.inProgress', { count: inProgress })}
        </span>
        {waits && queue?.user_queue_position != null && (
          <span className="hint">{t('workspace.queue.ahead', { position: queue.user_queue_position })}</span>
        )}
        <IconButton icon="refresh" label={t('workspace.queue.refresh')} busy={refreshing} onClick={refresh} />
      </div>
      {paused && <Notice tone="warning">{t('workspace.queue.paused')}</Notice>}
      {list.status === 'loading' && <QueueSkeleton />}
      {list.status === 'failed' && (
        <div className="empty" role="alert">
          <p>{t('workspace.queue.loadFailed')}</p>
          <Button icon="refresh" onClick={refresh} busy={refreshing}>
            {t('common.action.retry')}
          </Button>
        </div>
      )}
      {list.status === 'ready' &&
        (list.tasks.length === 0 ? <Empty /> : <Rows tasks={list.tasks} total={list.total} />)}
    </section>
  )
}

function Rows({ tasks, total }: { tasks: readonly Task[]; total: number }) {
  const t = translate()
  const [view, setView] = useState<TaskView | null>(null)
  const older = total - tasks.length
  return (
    <>
      <ul className="tasks" aria-label={t('workspace.queue.list')}>
        {tasks.map((task) => (
          <TaskRow key={task.id} task={task} onView={(kind) => setView({ kind, task })} />
        ))}
      </ul>
      {older > 0 && <p className="hint">{t('workspace.queue.older', { count: older })}</p>}
      {view && <TaskDialog view={view} onClose={() => setView(null)} />}
    </>
  )
}

function Empty() {
  const t = translate()
  return (
    <div className="empty">
      <div className="empty-art">
        <Placeholder />
      </div>
      <h3>{t('workspace.queue.emptyTitle')}</h3>
      <p>{t('workspace.queue.emptyText')}</p>
      <Button look="primary" onClick={() => document.getElementById('prompt')?.focus()}>
        {t('workspace.queue.create')}
      </Button>
    </div>
  )
}

/** Rows that are still to come, in their final shape. */
export function QueueSkeleton() {
  return (
    <div className="tasks" aria-hidden="true">
      <div className="skeleton skeleton-row" />
      <div className="skeleton skeleton-row" />
      <div className="skeleton skeleton-row" />
    </div>
  )
}
