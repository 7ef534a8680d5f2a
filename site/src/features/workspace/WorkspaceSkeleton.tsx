import { translate } from '../../i18n/client.ts'
import type { Locale } from '../../i18n/core.ts'

/** Placeholder that prevents layout shift while the workspace loads. */
export function WorkspaceSkeleton({ locale }: { locale?: Locale }) {
  return (
    <div className="stack stack-wide frame workspace" aria-busy="true">
      <span className="sr-only" role="status">
        {translate(locale)('common.loading')}
      </span>
      <div className="stack stack-wide panel card workspace-form">
        <div className="skeleton skeleton-tabs" />
        <div className="skeleton skeleton-prompt" />
        <div className="skeleton skeleton-line" />
        <div className="skeleton skeleton-line" />
        <div className="skeleton skeleton-line" />
      </div>
      <StagePlace />
      <QueuePlace />
    </div>
  )
}

/** Keeps the place of the stage until its script has loaded. */
export const StagePlace = () => (
  <div className="stage stack gap-3 min-0">
    <div className="skeleton skeleton-line" />
    <StageSkeleton />
  </div>
)

/** Keeps the place of the list of tasks. */
export const QueuePlace = () => (
  <div className="stack stack-wide panel card queue">
    <div className="skeleton skeleton-line" />
    <QueueSkeleton />
  </div>
)

/** Keeps the place of the film and of what is below it. */
export function StageSkeleton() {
  return (
    <>
      <div className="film clip film-empty skeleton" aria-hidden="true" />
      <div className="stage-below stack gap-3" />
    </>
  )
}

/** Placeholder rows shown while tasks load. */
export function QueueSkeleton() {
  return (
    <div className="tasks stack gap-3" aria-hidden="true">
      <div className="skeleton skeleton-row" />
      <div className="skeleton skeleton-row" />
      <div className="skeleton skeleton-row" />
    </div>
  )
}
