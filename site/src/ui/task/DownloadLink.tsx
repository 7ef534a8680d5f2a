import { useStore } from '@nanostores/react'
import type { MouseEvent } from 'react'
import type { Task } from '#backend/tasks/contract.ts'
import { $busyTasks, downloadAddress, downloadVideo } from '../../api/taskActions.ts'
import { Icon } from '../Icon.tsx'

/** A download link for a video. Unlike a button, it lets users copy the URL or open it in another tab. */
export function DownloadLink({ task, label }: { task: Task; label: string }) {
  const busy = useStore($busyTasks).get(task.id) === 'download'
  const save = (event: MouseEvent) => {
    event.preventDefault()
    void downloadVideo(task)
  }
  return (
    <a
      className="icon-button"
      href={downloadAddress(task)}
      download
      aria-label={label}
      aria-busy={busy || undefined}
      onClick={save}
    >
      {busy ? <span className="spinner" aria-hidden="true" /> : <Icon name="download" />}
    </a>
  )
}
