import { useStore } from '@nanostores/react'
import { useEffect } from 'react'
import type { Template } from '#backend/tasks/contract.ts'
import { translate } from '../../i18n/client.ts'
import { Dialog } from '../Dialog.tsx'
import { RetryNotice } from '../RetryNotice.tsx'
import { TemplateTile } from './TemplateTile.tsx'
import { $templates, loadTemplates } from './templates.ts'

interface TemplatesDialogProps {
  readonly onChoose: (template: Template) => void
  readonly onClose: () => void
}

/** All templates, of which one fills the form. */
export function TemplatesDialog({ onChoose, onClose }: TemplatesDialogProps) {
  const t = translate()
  const templates = useStore($templates)
  useEffect(() => void loadTemplates(), [])
  return (
    <Dialog title={t('common.templates.heading')} size={800} onClose={onClose}>
      <p className="muted">{t('common.templates.lead')}</p>
      {templates === 'failed' ? (
        <RetryNotice tone="danger" text={t('common.templates.failed')} onRetry={loadTemplates} />
      ) : (
        <ul className="templates" aria-busy={templates === null || undefined}>
          {templates?.map((template) => (
            <li key={template.id}>
              <TemplateTile
                template={template}
                onChoose={(chosen) => {
                  onClose()
                  onChoose(chosen)
                }}
              />
            </li>
          ))}
        </ul>
      )}
    </Dialog>
  )
}
