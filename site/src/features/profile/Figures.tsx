import { useStore } from '@nanostores/react'
import type { WorkStats } from '#backend/tasks/contract.ts'
import { pageLocale, translate } from '../../i18n/client.ts'
import { HTML_LANG } from '../../i18n/core.ts'
import { fileSize } from '../../i18n/fileSize.ts'
import type { Translate } from '../../i18n/keys.ts'
import { lengthText } from '../../i18n/lengthText.ts'
import { Icon } from '../../ui/Icon.tsx'
import type { IconName } from '../../ui/icons.ts'
import { RetryNotice } from '../../ui/RetryNotice.tsx'
import { $figures, loadFigures } from './works.ts'

const number = (value: number) => value.toLocaleString(HTML_LANG[pageLocale()])

const CARDS: readonly { key: keyof WorkStats; icon: IconName; text: (value: number, t: Translate) => string }[] = [
  { key: 'total_videos', icon: 'film', text: number },
  { key: 'total_duration', icon: 'clock', text: lengthText },
  { key: 'storage_used', icon: 'disk', text: fileSize },
  { key: 'credits_remaining', icon: 'coin', text: number },
  { key: 'credits_used', icon: 'bolt', text: number },
  { key: 'usage_this_month', icon: 'chart', text: number },
]

/** Shows statistics on the user's videos and credits. */
export function Figures() {
  const t = translate()
  const known = useStore($figures)
  return (
    <section className="stack stack-wide profile-section" id="stats" aria-labelledby="stats-heading">
      <h2 id="stats-heading">{t('works.figures.heading')}</h2>
      {known?.sample && <RetryNotice tone="warning" text={t('works.figures.sample')} onRetry={loadFigures} />}
      <dl className="figures-grid stack gap-3" aria-busy={known === null}>
        {CARDS.map(({ key, icon, text }) => (
          <div className="card figure stack gap-1" key={key} data-figure={key}>
            <dt className="line hint">
              <Icon name={icon} />
              {t(`works.figures.${key}`)}
            </dt>
            <dd>{known ? text(known.figures[key], t) : <span className="skeleton figure-skeleton" />}</dd>
          </div>
        ))}
      </dl>
    </section>
  )
}
