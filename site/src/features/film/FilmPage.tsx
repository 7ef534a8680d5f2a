import { useStore } from '@nanostores/react'
import { useEffect, useState } from 'react'
import { getTask, sourceOf, type Task } from '#backend/tasks/contract.ts'
import { call } from '../../api/api.ts'
import { ApiError } from '../../api/apiError.ts'
import { loadBalance } from '../../api/credits.ts'
import { errorText } from '../../api/errorText.ts'
import { $busyTasks, downloadVideo } from '../../api/taskActions.ts'
import { isFinal } from '../../api/taskProgress.ts'
import { $labelled, loadLabelPolicy } from '../../api/videoLabel.ts'
import { translate } from '../../i18n/client.ts'
import { taskTitle } from '../../i18n/taskTitle.ts'
import { Button, LinkButton } from '../../ui/Button.tsx'
import { Empty } from '../../ui/Empty.tsx'
import { OwnReceipt } from '../../ui/OwnReceipt.tsx'
import { RetryNotice } from '../../ui/RetryNotice.tsx'
import { ShareSection } from '../../ui/task/ShareSection.tsx'
import { TaskDetails } from '../../ui/task/TaskPlayer.tsx'
import { UnlabelledDownload } from '../../ui/task/UnlabelledDownload.tsx'
import { LineageTree } from './LineageTree.tsx'

/** The id in the address of a film's page. */
const idOf = (path: string) => path.split('/film/')[1]?.split('/')[0] ?? ''

/** How often an unfinished film is read again, ms. */
const POLL_MS = 3_000

const isTask = (film: Task | 'gone' | ApiError | undefined): film is Task =>
  typeof film === 'object' && !(film instanceof ApiError)

/** Everything about one film of the user. */
export function FilmPage() {
  const t = translate()
  const id = idOf(location.pathname)
  const [film, setFilm] = useState<Task | 'gone' | ApiError>()
  const load = () =>
    call(getTask, { params: { id } }).then(setFilm, (error: ApiError) => {
      const isGone = error.status === 404 || error.status === 403
      setFilm((known) => (isGone ? 'gone' : isTask(known) ? known : error))
    })
  const isOpen = isTask(film) && !isFinal(film)
  // biome-ignore lint/correctness/useExhaustiveDependencies: the address does not change.
  useEffect(() => {
    void load()
    // Only the header shows it.
    void loadBalance()
  }, [])
  // biome-ignore lint/correctness/useExhaustiveDependencies: the address does not change.
  useEffect(() => {
    const timer = isOpen && setInterval(load, POLL_MS)
    return () => clearInterval(timer || undefined)
  }, [isOpen])
  if (!film) return <div className="skeleton film-skeleton" aria-busy="true" />
  if (film === 'gone')
    return (
      <Empty picture title={<h1>{t('film.goneTitle')}</h1>} text={t('film.goneText')}>
        <LinkButton label={t('film.toLibrary')} variant="primary" to="/library" />
      </Empty>
    )
  if (film instanceof ApiError) return <RetryNotice tone="danger" text={errorText(film)} onRetry={load} />
  return <Film film={film} />
}

export function Film({ film }: { readonly film: Task }) {
  const t = translate()
  const title = taskTitle(film)
  useEffect(() => {
    document.title = `${title} · Kinora`
  }, [title])
  const source = sourceOf(film)
  const isDone = film.status === 'Success'
  return (
    <article className="film-page">
      <div className="stack film-main">
        {isDone ? (
          // biome-ignore lint/a11y/useMediaCaption: the videos have no sound.
          <video
            className="player rounded film-player"
            src={film.video_url ?? undefined}
            poster={film.thumbnail_url ?? undefined}
            aria-label={t('workspace.task.video')}
            controls
            playsInline
            preload="none"
          />
        ) : (
          <div className="card stack film-waiting">
            <p>
              {film.error_code
                ? t(`failures.${film.error_code}`, { seconds: film.duration, resolution: film.resolution })
                : t('film.waiting')}
            </p>
            <LinkButton
              label={t(film.error_code ? 'film.openWorkspace' : 'film.toWorkspace')}
              variant="outline"
              to="/workspace"
            />
          </div>
        )}
        <h1 className="film-title">{title}</h1>
        {source && <p className="hint">{t(`workspace.task.source.${source}`)}</p>}
        {isDone && <Actions film={film} />}
        <Section title={t('film.lineage')}>
          <LineageTree film={film} />
        </Section>
      </div>
      <div className="stack film-side">
        <Section title={t('film.details')}>
          <TaskDetails task={film} />
        </Section>
        {isDone && (
          <Section title={t('film.sharing')}>
            <ShareSection task={film} />
          </Section>
        )}
        <Section title={t('film.ledger')}>
          <OwnReceipt key={film.status} taskId={film.id} />
        </Section>
        {isDone && (
          <Section title={t('film.marks')}>
            <p className="muted">{t('film.marksText')}</p>
          </Section>
        )}
      </div>
    </article>
  )
}

function Actions({ film }: { readonly film: Task }) {
  const t = translate()
  const labelled = useStore($labelled)
  const busy = useStore($busyTasks).get(film.id) === 'download'
  useEffect(() => void loadLabelPolicy(), [])
  const download = () => void downloadVideo(film)
  return (
    <>
      <p className="row">
        <Button label={t('film.download')} variant="primary" icon="download" busy={busy} onClick={download} />
        <LinkButton label={t('film.verify')} variant="outline" to="/verify" />
      </p>
      {labelled && <UnlabelledDownload task={film} />}
    </>
  )
}

function Section({ title, children }: { readonly title: string; readonly children: React.ReactNode }) {
  return (
    <section className="stack film-section">
      <h2>{title}</h2>
      {children}
    </section>
  )
}
