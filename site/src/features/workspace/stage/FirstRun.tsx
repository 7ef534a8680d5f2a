import { useStore } from '@nanostores/react'
import { translate } from '../../../i18n/client.ts'
import { Placeholder } from '../../../ui/task/Placeholder.tsx'
import { setMode, setPrompt } from '../generation.ts'
import { $demo } from '../workspace.ts'

const SHOWN = 6

/** The stage before the first video: a question and, with the demo, prompts that it can draw. */
export function FirstRun() {
  const t = translate()
  const demo = useStore($demo)
  const take = (prompt: string) => {
    setMode('text_to_video')
    setPrompt(prompt)
    document.getElementById('prompt')?.focus()
  }
  return (
    <>
      <div className="film clip film-empty">
        <Placeholder />
        <div className="film-slate stack gap-1 film-first">
          <p className="film-question">{t('workspace.stage.first')}</p>
          <p>{t('workspace.stage.firstText')}</p>
        </div>
      </div>
      <div className="stage-below stack gap-3">
        {demo && (
          <ul className="row ideas" aria-label={t('workspace.stage.ideas')}>
            {t('workspace.demo.examples')
              .split('|')
              .slice(0, SHOWN)
              .map((prompt) => (
                <li key={prompt}>
                  <button type="button" className="example muted" onClick={() => take(prompt)}>
                    {prompt}
                  </button>
                </li>
              ))}
          </ul>
        )}
      </div>
    </>
  )
}
