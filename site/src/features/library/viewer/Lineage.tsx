import type { Task } from '#backend/tasks/contract.ts'
import { errorText } from '../../../api/errorText.ts'
import { translate } from '../../../i18n/client.ts'
import { taskTitle } from '../../../i18n/taskTitle.ts'
import { RetryNotice } from '../../../ui/RetryNotice.tsx'
import { useLineage } from '../../../ui/task/useLineage.ts'

interface LineageProps {
  readonly film: Task
  readonly onFilm: (film: Task) => void
}

/** Shows what a film was made from, and what was made from it. Nothing if there is neither. */
export function Lineage({ film, onFilm }: LineageProps) {
  const t = translate()
  const { films: family, error, retry } = useLineage(film.id)
  if (error) return <RetryNotice tone="warning" text={errorText(error)} onRetry={retry} />
  const sources = [...new Set(film.made_from.map(({ id }) => id))]
  const from = sources.flatMap((id) => family?.find((each) => each.id === id) ?? [])
  const into = family?.filter(({ made_from }) => made_from.some(({ id }) => id === film.id)) ?? []
  const gone = sources.length - from.length
  return (
    <>
      {sources.length > 0 && (
        <section className="lineage stack gap-2" aria-label={t('library.lineage.from')}>
          <h3>{t('library.lineage.from')}</h3>
          <Films films={from} hows={film} onFilm={onFilm} />
          {family && gone > 0 && <p className="hint">{t('library.lineage.gone', { count: gone })}</p>}
        </section>
      )}
      {into.length > 0 && (
        <section className="lineage stack gap-2" aria-label={t('library.lineage.into')}>
          <h3>{t('library.lineage.into')}</h3>
          <Films films={into} hows={film} onFilm={onFilm} />
        </section>
      )}
    </>
  )
}

interface FilmsProps {
  readonly films: readonly Task[]
  readonly hows: Task
  readonly onFilm: (film: Task) => void
}

function Films({ films, hows, onFilm }: FilmsProps) {
  const t = translate()
  /** Returns how one of two films came from the other. */
  const how = (film: Task) =>
    (hows.made_from.find(({ id }) => id === film.id) ?? film.made_from.find(({ id }) => id === hows.id))?.how
  return (
    <ul className="lineage-films plain">
      {films.map((film) => {
        const kind = how(film)
        const name = kind ? t(`works.madeAs.${kind}`) : ''
        return (
          <li key={film.id}>
            <button type="button" className="line lineage-film" disabled={!film.video_url} onClick={() => onFilm(film)}>
              {film.thumbnail_url ? <img src={film.thumbnail_url} alt="" /> : <span className="skeleton" />}
              <span className="min-0">
                <span className="ellipsis">{taskTitle(film)}</span>
                <small className="hint">{name}</small>
              </span>
            </button>
          </li>
        )
      })}
    </ul>
  )
}
