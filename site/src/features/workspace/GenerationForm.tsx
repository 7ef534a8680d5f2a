import { useStore } from '@nanostores/react'
import { type SubmitEvent, useEffect, useRef } from 'react'
import type { TaskType } from '#backend/tasks/contract.ts'
import { translate } from '../../i18n/client.ts'
import { Icon } from '../../ui/Icon.tsx'
import { Tabs } from '../../ui/Tabs.tsx'
import { GenerateBar } from './GenerateBar.tsx'
import { $faults, $generation, setMode, setOptimizer, setQuick } from './generation.ts'
import { hasQuick, quickModel } from './generationRules.ts'
import { ImageField } from './ImageField.tsx'
import { MovementsField } from './MovementsField.tsx'
import { Pickers } from './Pickers.tsx'
import { PromptField } from './PromptField.tsx'
import { submit } from './submission.ts'
import { UnderstandingNote } from './understanding/UnderstandingNote.tsx'
import { $canOptimize } from './workspace.ts'

/** Form that creates a video task. Focuses the first invalid field. */
export function GenerationForm() {
  const t = translate()
  const form = useRef<HTMLFormElement>(null)
  const { taskType, promptOptimizer } = useStore($generation)
  const faults = useStore($faults)
  const canOptimize = useStore($canOptimize)
  useEffect(() => {
    if (Object.keys(faults).length > 0) form.current?.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus()
  }, [faults])
  const onSubmit = (event: SubmitEvent<HTMLFormElement>) => {
    event.preventDefault()
    void submit()
  }
  const model = quickModel(taskType)
  return (
    <form
      className="stack stack-wide panel card generation"
      ref={form}
      onSubmit={onSubmit}
      noValidate
      aria-labelledby="form-heading"
    >
      <h2 id="form-heading" className="panel-title">
        {t('workspace.form.heading')}
      </h2>
      <Tabs<TaskType>
        label={t('workspace.form.mode')}
        value={taskType}
        onChange={setMode}
        options={[
          { value: 'text_to_video', label: t('workspace.form.text') },
          { value: 'image_to_video', label: t('workspace.form.image') },
        ]}
      >
        {hasQuick(taskType) && (
          <button
            type="button"
            className="row quick"
            onClick={setQuick}
            aria-label={t('workspace.form.quickApply', { model })}
          >
            <Icon name="bolt" />
            <strong>{t('workspace.form.quick')}</strong>
            <span className="muted">{t('workspace.form.quickText', { model })}</span>
          </button>
        )}
        {taskType === 'image_to_video' && <ImageField />}
        <PromptField />
        <UnderstandingNote />
        <MovementsField />
        <label className="line switch">
          <span>
            <span className="label">{t('workspace.form.optimizer')}</span>
            <span className="hint switch-hint" id="optimizer-hint">
              {t(canOptimize ? 'workspace.form.optimizerHint' : 'workspace.form.optimizerIgnored')}
            </span>
          </span>
          <input
            type="checkbox"
            role="switch"
            aria-checked={canOptimize && promptOptimizer}
            aria-describedby="optimizer-hint"
            checked={canOptimize && promptOptimizer}
            disabled={!canOptimize}
            onChange={(event) => setOptimizer(event.currentTarget.checked)}
          />
        </label>
        <Pickers />
      </Tabs>
      <GenerateBar />
    </form>
  )
}
