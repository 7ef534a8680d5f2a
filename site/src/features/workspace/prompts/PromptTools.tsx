import { translate } from '../../../i18n/client.ts'
import { useLatePart } from '../useLatePart.ts'
import { takeTemplate } from './template.ts'

/** Opens the templates and the prompts of earlier videos. */
export function PromptTools() {
  const t = translate()
  const templates = useLatePart(() => import('../../../ui/templates/TemplatesDialog.tsx'))
  const history = useLatePart(() => import('./HistoryDialog.tsx'))
  return (
    <>
      <button type="button" className="prompt-tool small" aria-haspopup="dialog" onClick={templates.open}>
        {t('common.templates.heading')}
      </button>
      <button type="button" className="prompt-tool small" aria-haspopup="dialog" onClick={history.open}>
        {t('workspace.prompts.short')}
      </button>
      {templates.part && <templates.part.TemplatesDialog onChoose={takeTemplate} onClose={templates.close} />}
      {history.part && <history.part.HistoryDialog onClose={history.close} />}
    </>
  )
}
