import { useEffect, useState } from 'react'
import { lineage, type Task } from '#backend/tasks/contract.ts'
import { type Answer, call } from '../../api/api.ts'
import { localHref, translate } from '../../i18n/client.ts'
import { taskTitle } from '../../i18n/taskTitle.ts'

type Node = Answer<typeof lineage>['films'][number]

/** The films that a film was made from and those that were made from it, as a tree. */
export function LineageTree({ film }: { readonly film: Task }) {
  const t = translate()
  const [films, setFilms] = useState<readonly Node[]>()
  useEffect(() => {
    call(lineage, { params: { id: film.id } }).then(
      (answer) => setFilms(answer.films),
      () => setFilms([]),
    )
  }, [film.id])
  if (!films) return <div className="skeleton film-tree-skeleton" />
  if (films.length < 2) return <p className="muted">{t('film.alone')}</p>
  const roots = films.filter(({ parent_id }) => parent_id === null)
  return <Branch nodes={roots} all={films} current={film.id} />
}

interface BranchProps {
  readonly nodes: readonly Node[]
  readonly all: readonly Node[]
  readonly current: string
}

function Branch({ nodes, all, current }: BranchProps) {
  return (
    <ul className="film-tree">
      {nodes.map((node) => {
        const below = all.filter(({ parent_id }) => parent_id === node.id)
        return (
          <li key={node.id}>
            <Leaf node={node} isCurrent={node.id === current} />
            {below.length > 0 && <Branch nodes={below} all={all} current={current} />}
          </li>
        )
      })}
    </ul>
  )
}

function Leaf({ node: { task, made_as }, isCurrent }: { readonly node: Node; readonly isCurrent: boolean }) {
  const t = translate()
  const how = [made_as && t(`film.madeAs.${made_as}`), isCurrent && t('film.this')].filter(Boolean).join(' · ')
  const text = (
    <span>
      <span className="film-leaf-title">{task ? taskTitle(task) : t('film.deleted')}</span>
      {how && <span className="hint">{how}</span>}
    </span>
  )
  const picture = task?.thumbnail_url && <img src={task.thumbnail_url} alt="" loading="lazy" />
  if (!task || isCurrent)
    return (
      <span className="film-leaf" aria-current={isCurrent || undefined}>
        {picture}
        {text}
      </span>
    )
  return (
    <a className="film-leaf plain" href={localHref(`/film/${task.id}`)}>
      {picture}
      {text}
    </a>
  )
}
