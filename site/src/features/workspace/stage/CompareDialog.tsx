import { useEffect } from 'react'
import type { Task } from '#backend/tasks/contract.ts'
import { translate } from '../../../i18n/client.ts'
import { Button } from '../../../ui/Button.tsx'
import { Dialog } from '../../../ui/Dialog.tsx'
import { typedKey } from '../../../ui/keys/typedKey.ts'
import { Loop } from '../../../ui/task/Loop.tsx'
import { $singleKeys } from './singleKeys.ts'
import { showTake } from './takes.ts'

interface CompareDialogProps {
  readonly takes: readonly Task[]
  readonly onClose: () => void
}

/** Shows takes side by side. A button, or its number on the keyboard, puts a take on the stage. */
export function CompareDialog({ takes, onClose }: CompareDialogProps) {
  const t = translate()
  const keep = (task: Task) => {
    showTake(task.id)
    onClose()
  }
  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent) => {
      const task = takes[Number(typedKey(event)) - 1]
      if (!task || !$singleKeys.get() || event.altKey || event.ctrlKey || event.metaKey) return
      event.preventDefault()
      keep(task)
    }
    document.addEventListener('keydown', onKeyDown)
    return () => document.removeEventListener('keydown', onKeyDown)
  })
  return (
    <Dialog size={800} title={t('workspace.compare.heading')} onClose={onClose}>
      <p className="muted">{t('workspace.compare.lead')}</p>
      <ol className="compare stack stack-wide">
        {takes.map((task, at) => (
          <li className="stack" key={task.id}>
            <Loop task={task} label={t('workspace.compare.take', { number: at + 1 })} />
            <p className="hint">
              {t('workspace.compare.take', { number: at + 1 })}
              {task.seed !== null && ` · ${t('workspace.stage.seed', { seed: String(task.seed) })}`}
            </p>
            <Button
              label={t('workspace.compare.keep', { number: at + 1 })}
              variant="outline"
              onClick={() => keep(task)}
            />
          </li>
        ))}
      </ol>
    </Dialog>
  )
}
