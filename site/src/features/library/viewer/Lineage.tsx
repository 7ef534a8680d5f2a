import { useEffect, useState } from 'react'
import { relatives, type Task } from '#backend/tasks/contract.ts'
import { call } from '../../../api/api.ts'
import { translate } from '../../../i18n/client.ts'
import { taskTitle } from '../../../i18n/taskTitle.ts'

interface LineageProps {
  readonly film: Task
  readonly onFilm: (film: Task) => void
}

type Known = Readonly<{ from: readonly Task[]; into: readonly Task[] }>

/** Shows what a film was made from, and what was made from it. Nothing if there is neither. */
export function Lineage({ film, onFilm }: LineageProps) {
  const t = translate()
  const [known, setKnown] = useState<Known>({ from: [], into: [] })
  useEffect(() => {
    let isLatest = true
    setKnown({ from: [], into: [] })
    call(relatives, { params: { id: film.id } }).then(
      (found) => isLatest && setKnown(found),
      () => {},
    )
    return () => {
      isLatest = false
    }
  }, [film.id])
  const gone = new Set(film.made_from.map(({ id }) => id)).size - known.from.length
  return (
    <>
      {film.made_from.length > 0 && (
        <section className="lineage stack gap-2" aria-label={t('library.lineage.from')}>
          <h3>{t('library.lineage.from')}</h3>
          <Films films={known.from} hows={film} onFilm={onFilm} />
          {gone > 0 && known.from.length + known.into.length > 0 && (
            <p className="hint">{t('library.lineage.gone', { count: gone })}</p>
          )}
        </section>
      )}
      {known.into.length > 0 && (
        <section className="lineage stack gap-2" aria-label={t('library.lineage.into')}>
          <h3>{t('library.lineage.into')}</h3>
          <Films films={known.into} hows={film} onFilm={onFilm} />
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
        const name = kind ? t(`library.lineage.how.${kind}`) : ''
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
