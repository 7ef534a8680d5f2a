import type { Task } from '#backend/tasks/contract.ts'
import { errorText } from '../../api/errorText.ts'
import { localHref, translate } from '../../i18n/client.ts'
import { taskTitle } from '../../i18n/taskTitle.ts'
import { RetryNotice } from '../../ui/RetryNotice.tsx'
import { useLineage } from '../../ui/task/useLineage.ts'

/** The films that a film was made from and those that were made from it, as a tree. */
export function LineageTree({ film }: { readonly film: Task }) {
  const t = translate()
  const { films, error, retry } = useLineage(film.id)
  if (error) return <RetryNotice tone="warning" text={errorText(error)} onRetry={retry} />
  if (!films) return <div className="skeleton film-tree-skeleton" />
  // Ids are in the order of creation.
  const known = new Map(films.toSorted((a, b) => (a.id < b.id ? -1 : 1)).map((each) => [each.id, each]))
  if (known.size < 2 && film.made_from.length === 0) return <p className="muted">{t('film.alone')}</p>
  const roots = [...known.values()].flatMap(({ id, made_from }) =>
    made_from.length === 0 ? [id] : made_from.flatMap((from) => (known.has(from.id) ? [] : [from.id])),
  )
  return <Branch ids={[...new Set(roots)]} known={known} current={film.id} />
}

interface BranchProps {
  readonly ids: readonly string[]
  /** The film above; none at the top. */
  readonly above?: string
  readonly known: ReadonlyMap<string, Task>
  readonly current: string
}

function Branch({ ids, above, known, current }: BranchProps) {
  return (
    <ul className="film-tree">
      {ids.map((id) => {
        const film = known.get(id)
        const below = [...known.values()].filter(({ made_from }) => made_from.some((from) => from.id === id))
        // A joined film is below each of its clips, and what was made from it below the first.
        const isOpen = below.length > 0 && (!above || film?.made_from[0]?.id === above)
        return (
          <li key={id}>
            <Leaf film={film} above={above} isCurrent={id === current} />
            {isOpen && <Branch ids={below.map((each) => each.id)} above={id} known={known} current={current} />}
          </li>
        )
      })}
    </ul>
  )
}

interface LeafProps {
  /** Undefined if it was deleted. */
  readonly film: Task | undefined
  readonly above: string | undefined
  readonly isCurrent: boolean
}

function Leaf({ film, above, isCurrent }: LeafProps) {
  const t = translate()
  const kind = film?.made_from.find(({ id }) => id === above)?.how
  const how = [kind && t(`works.madeAs.${kind}`), isCurrent && t('film.this')].filter(Boolean).join(' · ')
  const text = (
    <span>
      <span className="film-leaf-title">{film ? taskTitle(film) : t('film.deleted')}</span>
      {how && <span className="hint">{how}</span>}
    </span>
  )
  const picture = film?.thumbnail_url && <img src={film.thumbnail_url} alt="" loading="lazy" />
  if (!film || isCurrent)
    return (
      <span className="film-leaf" aria-current={isCurrent || undefined}>
        {picture}
        {text}
      </span>
    )
  return (
    <a className="film-leaf plain" href={localHref(film.url)}>
      {picture}
      {text}
    </a>
  )
}
