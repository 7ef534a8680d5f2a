import { type ReactNode, useId } from 'react'
import { translate } from '../../../i18n/client.ts'
import { numberText } from '../figures.ts'

/** A part of the page. An empty one is one line. */
export function Part({ title, total, children }: { title: string; total?: number; children: ReactNode }) {
  const t = translate()
  const id = useId()
  return (
    <section className="stack card desk-part" aria-labelledby={id}>
      <h3 id={id}>
        {title}{' '}
        {total !== undefined && total > 20 && (
          <small className="hint">{t('dashboard.desk.newest', { total: numberText(total) })}</small>
        )}
      </h3>
      {total === 0 ? <p className="hint">{t('dashboard.desk.none')}</p> : children}
    </section>
  )
}
