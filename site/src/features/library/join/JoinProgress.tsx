import { useStore } from '@nanostores/react'
import type { Task } from '#backend/tasks/contract.ts'
import { translate } from '../../../i18n/client.ts'
import { Button } from '../../../ui/Button.tsx'
import { $joins, cancelJoin, dismissJoin, editClips } from './joins.ts'

/** Shows the joined films that are being made, and those that failed with their reason and a way on. */
export function JoinProgress() {
  const joins = useStore($joins)
  return (
    <div className="join-progress stack gap-2" role="status">
      {joins.map((task) => (
        <Join key={task.id} task={task} />
      ))}
    </div>
  )
}

function Join({ task }: { readonly task: Task }) {
  const t = translate()
  if (task.status === 'Fail')
    return (
      <div className="notice notice-danger row spread">
        <span>
          {t('library.join.failed', { title: task.prompt })}{' '}
          {t(task.error_code === 'clip_missing' ? 'library.join.clipsGone' : 'library.join.failedText')}
        </span>
        <span className="line">
          <Button
            label={t('library.join.edit')}
            variant="outline"
            onClick={() => {
              dismissJoin(task.id)
              void editClips([task])
            }}
          />
          <Button label={t('common.action.close')} variant="quiet" onClick={() => dismissJoin(task.id)} />
        </span>
      </div>
    )
  const percent = Math.round(task.progress ?? 0)
  return (
    <div className="notice row spread">
      <span className="min-0">
        {task.progress === null
          ? t('library.join.waiting', { title: task.prompt })
          : t('library.join.running', { title: task.prompt, percent })}
      </span>
      <progress max={100} value={percent} aria-label={t('workspace.task.progress')} />
      <Button label={t('common.action.cancel')} variant="quiet" onClick={() => void cancelJoin(task.id)} />
    </div>
  )
}
