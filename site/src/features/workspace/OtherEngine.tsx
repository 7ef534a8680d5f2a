import { useStore } from '@nanostores/react'
import type { Task } from '#backend/tasks/contract.ts'
import { $models } from '../../api/models.ts'
import { costOf } from '../../api/task/taskCost.ts'
import { $busyTasks } from '../../api/taskActions.ts'
import { pageLocale, translate } from '../../i18n/client.ts'
import { Button } from '../../ui/Button.tsx'
import { otherModel, tryElsewhere } from './remix.ts'

/** Orders the video of a failed task from another model, if one takes the same order. */
export function OtherEngine({ task }: { readonly task: Task }) {
  const busy = useStore($busyTasks).get(task.id)
  const model = otherModel(task, useStore($models))
  if (!model) return null
  const count = costOf({ ...task, model: model.id })
  return (
    <Button
      variant="outline"
      icon="repeat"
      label={translate()('workspace.task.elsewhere', { model: model.names[pageLocale()], count })}
      busy={busy === 'elsewhere'}
      onClick={() => void tryElsewhere(task, model, count)}
    />
  )
}
