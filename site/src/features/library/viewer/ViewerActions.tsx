import { useStore } from '@nanostores/react'
import { type RefObject, useEffect, useState } from 'react'
import type { Task } from '#backend/tasks/contract.ts'
import { $credits } from '../../../api/credits.ts'
import { type Handover, handOver } from '../../../api/task/handover.ts'
import { costOf, isJoined } from '../../../api/task/taskCost.ts'
import { downloadVideo } from '../../../api/taskActions.ts'
import { localHref, translate } from '../../../i18n/client.ts'
import { Button } from '../../../ui/Button.tsx'
import { Menu, type MenuItem } from '../../../ui/Menu.tsx'
import { FolderDialog } from '../FolderDialog.tsx'
import { markFilms, showTo } from '../library.ts'
import { $marks } from '../marks.ts'

/** Actions by the key that runs them. */
export type ActionKeys = Readonly<Record<string, () => void>>

interface ViewerActionsProps {
  readonly film: Task
  /** Receives the actions that keys run. */
  readonly keys: RefObject<ActionKeys>
  /** Shows a film as it is now, if it is still shown. */
  readonly onChanged: (film: Task) => void
  readonly onDelete: (film: Task) => void
  readonly onJoin: () => void
  /** Undefined if there is no other film. */
  readonly onCompare: (() => void) | undefined
  readonly isComparing: boolean
}

/** Shows the film to the team, or to the user alone. */
function sharing(film: Task, onChanged: (film: Task) => void): MenuItem {
  const next = film.visibility === 'team' ? 'private' : 'team'
  const label = translate()(next === 'team' ? 'library.share' : 'library.unshare')
  return { label, icon: 'user', keys: 'T', onSelect: () => void showTo(next, film).then(onChanged) }
}

function comparison({ onCompare, isComparing }: ViewerActionsProps): readonly MenuItem[] {
  const label = translate()(isComparing ? 'library.viewer.stopComparing' : 'library.viewer.compare')
  return onCompare ? [{ label, icon: 'columns', keys: 'C', onSelect: onCompare }] : []
}

/** What can be done with a film of another member. */
export function OthersActions(props: ViewerActionsProps) {
  const { film, keys, onCompare } = props
  const download = () => void downloadVideo(film)
  useEffect(() => {
    keys.current = { d: download, ...(onCompare ? { c: onCompare } : {}) }
  })
  return (
    <div className="stack gap-2">
      <Button variant="primary" icon="download" label={translate()('workspace.task.download')} onClick={download} />
      {comparison(props).map(({ label, icon, onSelect }) => (
        <Button variant="outline" icon={icon} label={label} onClick={onSelect} key={label} />
      ))}
    </div>
  )
}

/** The two main actions with their words, and a menu of the others with their shortcuts. */
export function ViewerActions(props: ViewerActionsProps) {
  const { film, keys, onChanged, onDelete, onJoin } = props
  const t = translate()
  const inTeam = useStore($credits)?.inTeam
  const favourite = useStore($marks).get(film.id)?.favourite ?? false
  const [moving, setMoving] = useState(false)
  const credits = costOf(film)
  const goOn = (action: Handover['action']) => () => {
    handOver({ action, id: film.id, credits })
    location.assign(localHref('/workspace'))
  }
  const joined = isJoined(film)
  const again = joined ? onJoin : goOn('again')
  const items: readonly MenuItem[] = [
    ...(joined
      ? []
      : ([
          { label: t('workspace.task.remix'), icon: 'sliders', keys: 'U', onSelect: goOn('remix') },
          { label: t('library.join.with'), icon: 'film', keys: 'J', onSelect: onJoin },
        ] as const)),
    { label: t('workspace.task.download'), icon: 'download', keys: 'D', onSelect: () => void downloadVideo(film) },
    {
      label: t(favourite ? 'library.select.unfavourite' : 'library.select.favourite'),
      icon: 'heart',
      keys: 'F',
      onSelect: () => void markFilms([film.id], { favourite: !favourite }),
    },
    { label: t('library.select.move'), icon: 'folder', keys: 'M', onSelect: () => setMoving(true) },
    ...(inTeam ? [sharing(film, onChanged)] : []),
    ...comparison(props),
    { label: t('workspace.task.delete'), icon: 'trash', keys: 'Del', danger: true, onSelect: () => onDelete(film) },
  ]
  useEffect(() => {
    const named = items.map(({ keys: key = '', onSelect }) => [key === 'Del' ? 'delete' : key.toLowerCase(), onSelect])
    keys.current = { ...Object.fromEntries(named), r: again, e: goOn('continue') }
  })
  return (
    <div className="stack gap-2">
      <div className="viewer-main">
        <Button
          variant="primary"
          icon={joined ? 'film' : 'repeat'}
          label={joined ? t('library.join.edit') : t('library.viewer.again', { count: credits })}
          onClick={again}
        />
        <Button variant="outline" icon="continue" label={t('library.viewer.extend')} onClick={goOn('continue')} />
      </div>
      <Menu label={t('library.viewer.more')} items={items} />
      {moving && <FolderDialog ids={[film.id]} onClose={() => setMoving(false)} />}
    </div>
  )
}
