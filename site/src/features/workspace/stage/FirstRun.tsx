import { useStore } from '@nanostores/react'
import { useEffect } from 'react'
import { translate } from '../../../i18n/client.ts'
import { RetryNotice } from '../../../ui/RetryNotice.tsx'
import { TemplateTile } from '../../../ui/templates/TemplateTile.tsx'
import { $templates, loadTemplates } from '../../../ui/templates/templates.ts'
import { takeTemplate } from '../prompts/template.ts'

const SHOWN = 6
const PLACES = Array.from({ length: SHOWN }, (_, n) => `place ${n}`)

/** The stage before the first video: six templates in motion, of which a click fills prompt and camera. */
export function FirstRun() {
  const t = translate()
  const templates = useStore($templates)
  useEffect(() => void loadTemplates(), [])
  return (
    <>
      <div className="film clip film-empty first-run stack gap-3">
        <p className="panel-title">{t('workspace.stage.first')}</p>
        <p className="muted">{t('workspace.stage.firstText')}</p>
        {templates === 'failed' && (
          <RetryNotice tone="danger" text={t('common.templates.failed')} onRetry={loadTemplates} />
        )}
        <ul className="templates first-templates" aria-label={t('workspace.stage.ideas')}>
          {templates === null
            ? PLACES.map((place) => (
                <li className="template stack gap-1" key={place}>
                  <span className="skeleton template-picture rounded" />
                  <span className="small">&nbsp;</span>
                </li>
              ))
            : templates !== 'failed' &&
              templates.slice(0, SHOWN).map((template) => (
                <li key={template.id}>
                  <TemplateTile template={template} onChoose={takeTemplate} />
                </li>
              ))}
        </ul>
      </div>
      <div className="stage-below" />
    </>
  )
}
